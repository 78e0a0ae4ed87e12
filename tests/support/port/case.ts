import type { Host } from '#agent/kernel/host/ports.ts'

/** One behaviour of the port: `act` returns a value to compare with `answer`, everywhere. */
export interface Case {
  title: string
  act(host: Host): Promise<unknown>
  answer: unknown
}

/** The folder for the files of the cases. */
export const PLACE = '/var/lib/hosting-port'

/** The code of the error, or its message. */
export const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  )
