import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { breathe } from '#dashboard/kernel/runtime/breathe.ts'
import { offline } from '#shared/kernel/errors.ts'
import type { ListAnswer } from '#shared/kernel/reading.ts'
import { MAX_FOUND, MAX_FOUND_BYTES } from './budgets.ts'
import { ListReader, parsed } from './read-list.ts'

const PIECE = 32 << 10

export async function readJson(response: IncomingMessage, most: number): Promise<unknown> {
  const chunks: Buffer[] = []
  await takeAll(response, most, (chunk) => chunks.push(chunk))
  return parsed(Buffer.concat(chunks).toString('utf8'))
}

/** The read entries and the total: entries beyond a number are only counted. */
export interface Listed<T> {
  entries: T[]
  total: number
}

/** The content of an answer; undefined when it is not what the contract says. */
export type ContentOf<F> =
  F extends ListAnswer<string, infer E, infer B>
    ? Listed<z.output<E>> & { beside: z.output<B> }
    : F extends z.ZodType
      ? z.output<F>
      : never

/** Returns undefined when an entry is invalid. Other work runs in between. */
export async function readList<E extends z.ZodType, B extends z.ZodType>(
  response: IncomingMessage,
  { key, entry, beside }: ListAnswer<string, E, B>,
): Promise<(Listed<z.output<E>> & { beside: z.output<B> }) | undefined> {
  const listed: Listed<z.output<E>> = { entries: [], total: 0 }
  let isGood = true
  const reader = new ListReader(key, (text) => {
    listed.total += 1
    if (!isGood || listed.total > MAX_FOUND) return
    const read = entry.safeParse(parsed(text))
    if (read.success) listed.entries.push(read.data)
    isGood = read.success
  })
  let size = 0
  for await (const piece of piecesFrom(response)) {
    size += piece.length
    if (size > MAX_FOUND_BYTES) throw tooLarge()
    reader.add(piece)
    if (!isGood) return undefined
  }
  const rest = beside.safeParse(reader.end())
  return rest.success ? { ...listed, beside: rest.data } : undefined
}

/** Returns the SHA-256 of an answer, which is not parsed. */
export async function readDigest(response: IncomingMessage): Promise<string> {
  const hash = createHash('sha256')
  await takeAll(response, MAX_FOUND_BYTES, (chunk) => hash.update(chunk))
  return hash.digest('base64url')
}

/** Takes a short answer whole. An async iterator would take longer than the answer. */
function takeAll(
  response: IncomingMessage,
  most: number,
  take: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= most) take(chunk)
      else response.destroy(tooLarge())
    })
    response.on('end', resolve)
    response.on('error', reject)
    response.on('close', () => reject(new Error('The answer ended early')))
  })
}

const tooLarge = () => offline('The agent sent an answer that is too large')

/** The bytes of an answer in small pieces: other work runs in between. */
export async function* piecesFrom(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const chunk of response) {
    for (let from = 0; from < chunk.length; from += PIECE) {
      yield chunk.subarray(from, from + PIECE)
      await breathe()
    }
  }
}
