import { access } from 'node:fs/promises';

/** Programs of a Kubernetes control plane, by path. */
export interface Binaries {
  etcd: string;
  apiserver: string;
  controllerManager: string;
  scheduler: string;
  /** Null: the autoscalers of the cluster read the metrics through a stand-in. */
  keda: { operator: string; adapter: string; crds: string } | null;
}

export const BINARY_OPTIONS = {
  etcd: { type: 'string' },
  apiserver: { type: 'string' },
  'controller-manager': { type: 'string' },
  scheduler: { type: 'string' },
  'keda-operator': { type: 'string' },
  'keda-adapter': { type: 'string' },
  'keda-crds': { type: 'string' },
} as const;

export const HOW_TO_BUILD = `
The control plane is built from Go modules, without a cluster tool and without root. In an empty folder:

  cat > tools.go <<'END'
  package tools
  import (
    _ "k8s.io/kubernetes/cmd/kube-apiserver"
    _ "k8s.io/kubernetes/cmd/kube-controller-manager"
    _ "k8s.io/kubernetes/cmd/kube-scheduler"
  )
  END
  go.mod: require k8s.io/kubernetes v1.33.3, and for each k8s.io/MODULE of its own go.mod with the version v0.0.0
  the line: replace k8s.io/MODULE => k8s.io/MODULE v0.33.3
  # The chart asks for the version.
  version=k8s.io/component-base/version
  for program in kube-apiserver kube-controller-manager kube-scheduler; do
    GOFLAGS=-mod=mod go build -o $program \\
      -ldflags "-X $version.gitVersion=v1.33.3 -X $version.gitMajor=1 -X $version.gitMinor=33" \\
      k8s.io/kubernetes/cmd/$program
  done

etcd is a package of Debian (etcd-server).

Then: npm run rehearse:cluster -- --etcd PATH --apiserver PATH --controller-manager PATH --scheduler PATH

With KEDA, from github.com/kedacore/keda at v2.18: go build ./cmd/operator and ./cmd/adapter, and
  --keda-operator PATH --keda-adapter PATH --keda-crds FOLDER/config/crd/bases
`;

/** @returns the binaries, or which of them are missing */
export const findBinaries = async (
  given: Partial<Record<keyof typeof BINARY_OPTIONS, string>>,
): Promise<Binaries | string[]> => {
  const missing: string[] = [];
  const path = async (name: keyof typeof BINARY_OPTIONS): Promise<string> => {
    const file = given[name];
    const isThere =
      file !== undefined &&
      (await access(file).then(
        () => true,
        () => false,
      ));
    if (!isThere) missing.push(file === undefined ? `--${name} is not given` : `--${name}: no file ${file}`);
    return file ?? '';
  };
  const hasKeda = Object.keys(given).some((name) => name.startsWith('keda-'));
  const binaries = {
    etcd: await path('etcd'),
    apiserver: await path('apiserver'),
    controllerManager: await path('controller-manager'),
    scheduler: await path('scheduler'),
    keda: hasKeda
      ? {
          operator: await path('keda-operator'),
          adapter: await path('keda-adapter'),
          crds: await path('keda-crds'),
        }
      : null,
  };
  return missing.length > 0 ? missing : binaries;
};
