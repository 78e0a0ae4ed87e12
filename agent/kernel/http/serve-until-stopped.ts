import process from 'node:process'
import { type Handler, type ListenAddress, type LocalSocket, listen } from './listen.ts'

/** Answers until systemd ends the process. */
export async function serveUntilStopped(
  handler: Handler,
  to: ListenAddress | LocalSocket,
): Promise<void> {
  const server = await listen(handler, to)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(0)))
  }
  console.log(`listening on ${server.url}`)
}
