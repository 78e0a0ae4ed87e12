import { type Dashboard, until } from './dashboard.ts'

/** The id of the operation that creates a site on the server. */
export async function createSite(dashboard: Dashboard, server: number): Promise<string> {
  const path = `/api/servers/${server}/sites`
  const response = await dashboard.send('POST', path, { domain: 'shop.example' })
  return response.headers.get('operation-id') ?? ''
}

/** The operation in the API after its end. */
export const ended = (dashboard: Dashboard, id: string) =>
  until(async () => {
    const { body } = await dashboard.call('GET', `/api/operations/${id}`)
    return body.operation.finished_at !== null && body.operation
  })

/** Each event as `number kind data`. */
export async function transcript(dashboard: Dashboard, id: string, after = 0): Promise<string[]> {
  const headers = { 'last-event-id': String(after) }
  const response = await dashboard.send('GET', `/api/operations/${id}/events`, undefined, headers)
  const blocks = (await response.text()).split('\n\n').filter((block) => block.startsWith('id:'))
  return blocks.map((block) => block.replace(/^id: (\d+)\nevent: (\w+)\ndata: /, '$1 $2 '))
}

export const tenLines = async function* ({ domain }: Record<string, unknown>) {
  for (let line = 1; line <= 10; line++) yield `Line ${line}`
  return { status: 'ok', domain }
}

// biome-ignore lint/correctness/useYield: a work without messages
export const noLines = async function* ({ domain }: Record<string, unknown>) {
  return { status: 'ok', domain }
}

/** The log lines of `tenLines`. */
export const whole = [
  ...Array.from({ length: 10 }, (_, at) => `${at + 1} log {"message":"Line ${at + 1}"}`),
  '11 complete {"status":"ok","domain":"shop.example"}',
]
