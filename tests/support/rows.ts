import { expect, test } from 'bun:test'
import type { Answer, Call, Client } from './client.ts'

/** One sentence of the specification, and the call that checks it. */
export interface Row extends Call {
  sentence: string
  status: number
  /** The whole body; left out if the sentence is about the status only. */
  answer?: unknown
  /** Exact values, patterns, or null for a header that must not be there. */
  answerHeaders?: Record<string, string | RegExp | null>
}

/** A row in the order in which it is read: its sentence, its call, its answer. */
export function row(sentence: string) {
  const call = (made: Call) => ({
    answers: (status: number, answer?: unknown, answerHeaders: Row['answerHeaders'] = {}): Row => ({
      ...made,
      sentence,
      status,
      answer,
      answerHeaders,
    }),
  })
  const by =
    (method: string) =>
    (path: string, body?: unknown, headers: Call['headers'] = {}) =>
      call({ method, path, body, headers })
  return {
    call,
    get: (path: string, headers: Call['headers'] = {}) => call({ path, headers }),
    post: by('POST'),
    put: by('PUT'),
    patch: by('PATCH'),
    delete: by('DELETE'),
  }
}

/** Runs each row as a test, with the client that exists by then. */
export function checkRows(client: () => Client, rows: readonly Row[]): void {
  for (const row of rows) {
    test(row.sentence, async () => {
      expectAnswer(await client().send(row), row)
    })
  }
}

export function expectAnswer(
  answer: Answer,
  { status, answer: body, answerHeaders = {} }: Pick<Row, 'status' | 'answer' | 'answerHeaders'>,
): void {
  const expected = body === undefined ? { status } : { status, body }
  const received = body === undefined ? { status: answer.status } : pick(answer)
  expect(received).toEqual(expected)
  for (const [name, value] of Object.entries(answerHeaders)) {
    const given = answer.headers.get(name)
    if (value instanceof RegExp) expect(given).toMatch(value)
    else expect({ [name]: given }).toEqual({ [name]: value })
  }
}

const pick = ({ status, body }: Answer) => ({ status, body })

export const unauthorized = { error: 'Unauthorized' }
export const notFound = (what: string) => ({ error: 'Not found', message: `${what} not found` })
export const badRequest = (message: string) => ({ error: 'Bad request', message })
export const failed = (fields: object) => ({ error: 'Validation failed', fields })
/** The named fields fail, each with at least one message that is a sentence; no other field does. */
export const failedOn = (...names: string[]) =>
  failed(
    Object.fromEntries(names.map((name) => [name, expect.arrayContaining([expect.any(String)])])),
  )
