import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readConfig } from '#agent/kernel/config.ts'
import { s3Store } from '#agent/programs/keeper/run.ts'
import { s3Reader } from '#agent/programs/storage/serve.ts'
import { realHost } from '#agent/real-host.ts'
import { startSmallS3 } from '#tests/support/storage/small-s3.ts'

const host = realHost(readConfig({}).settings)

test('the report in a bucket takes the place of earlier ones, and agents read it', async () => {
  const { bucket, objects, stop } = await startSmallS3()
  const pathOf = (text: string) =>
    `sites/hosting-keeper/keys/${createHash('sha256').update(text).digest('hex')}`
  objects.set(`sites/hosting-keeper/keys/${'f'.repeat(64)}`, 'garbage')
  const store = s3Store(host, bucket, '/nonexistent')

  const texts = ['list', 'two']
  await store.report(['one'])
  await store.report(texts)

  expect([...objects]).toEqual(texts.map((text) => [pathOf(text), text]))
  const found = await s3Reader(bucket).keys(['hosting-keeper', 'none'])
  expect([found.get('hosting-keeper'), found.get('none')]).toEqual([texts, []])
  await stop()
})
