import { expect, test } from 'bun:test'
import { curlOf } from '#dashboard/web/pages/docs/docs.tsx'
import { callsOf } from '#dashboard/web/pages/docs/operations.ts'
import { document } from '#tests/support/openapi/validator.ts'

const calls = callsOf(JSON.parse(JSON.stringify(document)))

const lineOf = (id: string) => {
  const call = calls.find(({ operationId }) => operationId === id)
  return call && curlOf(call, 'https://control.example')
}

test('shows a call with a token and the example of its body', () => {
  expect(lineOf('updateServer')).toBe(
    `curl -X PATCH 'https://control.example/api/servers/1' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"tags":["production"]}'`,
  )
})

test('shows a stream unbuffered, and a public call without a token', () => {
  expect(lineOf('followOperation')).toBe(
    `curl -N 'https://control.example/api/operations/q3Yk0ZsV1nTfBw8eR5uLxA/events' \\
  -H "Authorization: Bearer $TOKEN"`,
  )
  expect(lineOf('downloadAgent')).toBe(`curl -O 'https://control.example/agent/linux-x64.gz'`)
})

test('is correct shell syntax for every call', async () => {
  const lines = calls.map((call) => curlOf(call, 'https://control.example'))
  const script = ['curl() { for last; do :; done; echo "$#"; }', 'TOKEN=token', ...lines].join('\n')

  const { stdout, exitCode } = Bun.spawnSync(['sh', '-eu', '-c', script])

  expect(exitCode).toBe(0)
  expect(stdout.toString().trim().split('\n')).toHaveLength(calls.length)
})
