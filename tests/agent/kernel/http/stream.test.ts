import { expect, test } from 'bun:test'
import { streamOf } from '#agent/kernel/http/stream.ts'
import { Operation } from '#agent/kernel/operations/operation.ts'

const WARNING = { code: 'certificate_refused', message: 'DNS problem: NXDOMAIN' }

async function streamed(query: string): Promise<string> {
  const operation = new Operation('one', 'x')
  await operation.log('Creating shop.example')
  await operation.complete({ domain: 'shop.example' }, [WARNING])
  const request = new Request(`https://agent/exec${query}`)
  const text = await streamOf(operation, request).text()
  return text.trim().split('\n').at(-1) ?? ''
}

test.each(['', '?warnings=false', '?warnings', '?steps=true'])(
  'the last event of a stream with %p has exactly the fields of the contract',
  async (query) => {
    expect(await streamed(query)).toBe('data: {"status":"ok","domain":"shop.example"}')
  },
)

test('a caller that asks for warnings gets them with the last event', async () => {
  const warnings = JSON.stringify([WARNING])
  expect(await streamed('?warnings=true')).toBe(
    `data: {"status":"ok","domain":"shop.example","warnings":${warnings}}`,
  )
})
