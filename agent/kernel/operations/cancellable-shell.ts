import type { RunOptions, Shell } from '#agent/kernel/host/ports.ts'
import { withOperation } from './with-operation.ts'

/** The programs of one operation. `until` waits for a program, and may end it. */
export function shellOf(
  shell: Shell,
  operation: string,
  until: <T>(work: () => Promise<T>) => Promise<T>,
): Shell {
  const own = (options: RunOptions = {}) => withOperation(options, operation)
  async function* each<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    for (;;) {
      const next = await until(() => items.next())
      if (next.done) return
      yield next.value
    }
  }
  return {
    run: (argv, options) => until(() => shell.run(argv, own(options))),
    try: (argv, options) => until(() => shell.try(argv, own(options))),
    stream: (argv, options) => each(shell.stream(argv, own(options))),
    bytes: (argv, options) => each(shell.bytes(argv, own(options))),
    // It outlives the operation.
    daemon: (argv, options) => until(() => shell.daemon(argv, options)),
  }
}
