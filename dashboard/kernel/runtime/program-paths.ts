import { dirname, join } from 'node:path'

const built = Bun.isStandaloneExecutable

/** The checkout or release of this program: its migrations, and in `dist/` its builds. */
export const ROOT = built
  ? join(dirname(process.execPath), '..')
  : join(import.meta.dir, '../../..')

/** The argv that starts this program once more, for one of its commands. */
export const PROGRAM = built
  ? [process.execPath]
  : [process.execPath, join(ROOT, 'dashboard/main.ts')]
