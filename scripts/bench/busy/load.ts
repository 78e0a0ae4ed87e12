import { Connection } from './connection.ts'

const CONNECTIONS = 64
const TICK_MS = 2
/** After the last request: an overloaded dashboard may be hours behind. */
const PATIENCE_MS = 10_000

export interface Load {
  port: number
  cookie: string
  paths: readonly string[]
  per_second: number
  seconds: number
}

/**
 * Sends requests at their times, whether or not others have been answered, over as many connections
 * as an office has browsers. Returns the milliseconds of each, from its time to its whole answer, or
 * to the end if there was none. Throws if one is not answered with 200.
 */
export async function load({ port, cookie, paths, per_second, seconds }: Load): Promise<number[]> {
  const free = Array.from({ length: CONNECTIONS }, () => new Connection(port))
  const all = [...free]
  const late: ((connection: Connection) => void)[] = []
  const times: number[] = []
  const open = new Set<number>()
  const ask = async (path: string, due: number) => {
    open.add(due)
    const connection =
      free.pop() ?? (await new Promise<Connection>((resolve) => late.push(resolve)))
    const status = await connection.get(path, cookie)
    open.delete(due)
    times.push(performance.now() - due)
    const next = late.shift()
    if (next) next(connection)
    else free.push(connection)
    if (status !== 200) throw new Error(`${path} answers ${status}`)
  }
  const total = per_second * seconds
  const start = performance.now()
  const asked: Promise<void>[] = []
  while (asked.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * per_second))
    while (asked.length < due) {
      const path = paths[asked.length % paths.length] ?? ''
      asked.push(ask(path, start + (asked.length * 1000) / per_second))
    }
    await Bun.sleep(TICK_MS)
  }
  await Promise.race([Promise.all(asked), Bun.sleep(PATIENCE_MS)])
  for (const connection of all) connection.close()
  const end = performance.now()
  return [...times, ...[...open].map((due) => end - due)]
}
