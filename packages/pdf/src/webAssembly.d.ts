/** The part of WebAssembly that this package uses; TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  type Module = object;
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

  const Module: { imports(module: Module): { module: string; name: string; kind: string }[] };
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports: Imports): Promise<Instance>;
}
