import ts from 'typescript';

/** Prints types in full, without names of other files, so that the text stands alone. */
export interface Printer {
  /** @param depth levels of objects that are printed; deeper ones are `{ … }` */
  print(type: ts.Type, depth?: number): string;
  propertiesOf(type: ts.Type): { name: string; type: ts.Type }[];
}

const MOST_LEVELS = 25;

export const printerOf = (checker: ts.TypeChecker): Printer => {
  const print = (type: ts.Type, depth = MOST_LEVELS): string => {
    if (type.isUnion()) return printUnion(type.types, depth);
    if (checker.isTupleType(type))
      return `[${argumentsOf(type)
        .map((item) => print(item, depth))
        .join(', ')}]`;
    if (checker.isArrayType(type)) {
      const item = print(argumentsOf(type)[0] ?? checker.getAnyType(), depth);
      return /^[\w.]+$/.test(item) || item.startsWith('{') ? `${item}[]` : `(${item})[]`;
    }
    if (type.isIntersection() && !type.types.every(isObject)) {
      const base = type.types.find((part) => !isObject(part));
      if (base !== undefined) return print(base, depth);
    }
    if (isObject(type)) return printObject(type, depth);
    return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  };

  const argumentsOf = (type: ts.Type): readonly ts.Type[] =>
    checker.getTypeArguments(
      // `isArrayType` and `isTupleType` accept references only, and do not narrow.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      type as ts.TypeReference,
    );

  const printUnion = (types: readonly ts.Type[], depth: number): string => {
    const parts = new Set(types.map((part) => print(part, depth)));
    if (parts.has('true') && parts.has('false')) {
      parts.delete('true');
      parts.delete('false');
      parts.add('boolean');
    }
    // `null` and `undefined` last, as people write them.
    const last = ['null', 'undefined'].filter((name) => parts.delete(name));
    return [...parts, ...last].join(' | ');
  };

  const printObject = (type: ts.Type, depth: number): string => {
    if (type.getCallSignatures().length > 0) throw new Error(`a function: ${checker.typeToString(type)}`);
    if (depth === 0) return '{ … }';
    const index = checker.getIndexInfosOfType(type);
    const fields = [
      ...index.map(({ keyType, type: value }) => `[key: ${print(keyType)}]: ${print(value, depth - 1)}`),
      ...checker.getPropertiesOfType(type).map((property) => {
        const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
        const value = checker.getTypeOfSymbol(property);
        const name = /^[a-zA-Z_]\w*$/.test(property.name) ? property.name : `'${property.name}'`;
        return `${name}${isOptional ? '?' : ''}: ${isOptional ? withoutMissing(value, depth - 1) : print(value, depth - 1)}`;
      }),
    ];
    return fields.length === 0 ? 'Record<string, never>' : `{ ${fields.join('; ')} }`;
  };

  /** The compiler's mark of an absent property is a part of the union that prints as `undefined`. */
  const withoutMissing = (type: ts.Type, depth: number): string => {
    if (!type.isUnion()) return print(type, depth);
    const parts = type.types.filter(
      (part) => !('debugIntrinsicName' in part && part.debugIntrinsicName === 'missing'),
    );
    return printUnion(parts, depth);
  };

  return {
    print,
    propertiesOf: (type) =>
      checker
        .getPropertiesOfType(type)
        .map((property) => ({ name: property.name, type: checker.getTypeOfSymbol(property) })),
  };
};

const isObject = (type: ts.Type): boolean => (type.flags & ts.TypeFlags.Object) !== 0;
