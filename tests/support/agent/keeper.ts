import type { Store } from '#agent/programs/keeper/store.ts'

export const RESTIC = { program: '/restic', left: () => 60_000 }

/** The storage of a test whose restic is not real. */
export const NO_STORE: Store = {
  name: 'store',
  repositories: async () => [],
  files: async () => [],
  read: async () => '',
  takeOut: async () => undefined,
  restic: async () => ({ launcher: [], options: [], env: {} }),
  removeDrafts: async () => undefined,
  report: async () => undefined,
}
