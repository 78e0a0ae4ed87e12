// tier: core
import { expect, test } from 'bun:test'
import { useAgent, useDashboard } from '#tests/support/running.ts'

const agent = useAgent('the executable')
const { client, running } = useDashboard()

test.each(['/health', '/api/servers', '/api/nowhere', '/nowhere'])(
  'every answer has an id of its own: %s',
  async (path) => {
    const [one, other] = [await client().get(path), await client().get(path)]

    expect(one.headers.get('x-request-id')).toMatch(/^[\w-]{12}$/)
    expect(other.headers.get('x-request-id')).not.toBe(one.headers.get('x-request-id'))
  },
)

test('a client does not choose the id', async () => {
  const { headers } = await client().send({ path: '/health', headers: { 'x-request-id': 'mine' } })

  expect(headers.get('x-request-id')).not.toBe('mine')
})

test('the agent answers with the given id', async () => {
  const asked = { path: '/metrics', headers: { 'x-request-id': 'r-1' } }

  const { headers } = await agent.client().send(asked)

  expect(headers.get('x-request-id')).toBe('r-1')
})

test('a call of an agent has the id of its request, and the log has it', async () => {
  const received = new Set<string | null>()
  using asked = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      received.add(request.headers.get('x-request-id'))
      return Response.json({}, { status: 500 })
    },
  })
  const input = { hostname: '127.0.0.1', port: asked.port }
  const { body } = await client().post('/api/servers', input)
  const { id } = (body as { server: { id: number } }).server

  const { headers } = await client().post(`/api/servers/${id}/sync`)

  const request_id = String(headers.get('x-request-id'))
  expect([...received]).toContain(request_id)
  const lines = running()
    .output.err.split('\n')
    .filter((line) => line.includes(request_id))
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
    'operation started',
    'operation ended',
  ])
})
