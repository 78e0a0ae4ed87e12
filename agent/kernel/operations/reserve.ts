import type { Files } from '#agent/kernel/host/ports.ts'

const SIZE = 4 << 20
/** With less free space the reserve would only fill the disk. */
const SPARE = 16 * SIZE

/**
 * Reserved space on the agent's disk: when that is full, it is released, so that started steps can
 * be undone and the end be stored.
 */
export function reserveOf(files: Files, state_dir: string) {
  const path = `${state_dir}/reserve/room`
  return {
    /** Creates it, if it is missing and there is space for it. */
    async keep(): Promise<void> {
      if (await files.stat(path)) return
      if ((await files.space(state_dir)).free < SPARE) return
      await files.write(path, 'reserve '.repeat(SIZE / 8), { mode: 0o600 })
    },

    /** False: there was none. */
    async give(): Promise<boolean> {
      if (!(await files.stat(path))) return false
      await files.remove(path)
      return true
    },
  }
}
