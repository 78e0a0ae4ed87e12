import type { Client } from '@libsql/client'
import { type Database, databaseOnServer, openDatabase } from '#dashboard/kernel/db/client.ts'
import { connect } from '#dashboard/kernel/db/connect.ts'
import type { AnswerCache } from '#dashboard/kernel/http/answer-cache.ts'

/** The records in a file as on a server, by statements that `seen` receives. */
export function openAsServer(file: string, seen?: string[]): Promise<Database> {
  const open = () => {
    const client = connect({ url: `file:${file}` })
    return seen ? recorded(client, seen) : client
  }
  return databaseOnServer(open(), open())
}

function recorded(client: Client, seen: string[]): Client {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (key === 'execute' || key === 'batch') seen.push(JSON.stringify(args[0]))
        return value.apply(target, args)
      }
    },
  })
}

/** Where the records may be. */
export const RECORDS: [string, (file: string) => Promise<Database>][] = [
  ['on a file', (file) => openDatabase(`file:${file}`)],
  ['on a server', openAsServer],
]

/** The answer that is sent without the app; undefined if there is none. */
export async function keptIn(kept: AnswerCache, request: Request): Promise<Response | undefined> {
  let asks = false
  const answer = await kept.answer(request, () => {
    asks = true
    return new Response()
  })
  return asks ? undefined : answer
}

export async function isAnswered(kept: AnswerCache, request: Request): Promise<boolean> {
  return (await keptIn(kept, request)) !== undefined
}
