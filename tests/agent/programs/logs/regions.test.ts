import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { closeLogs, type LogFile, openLogs } from '#agent/programs/logs/files.ts'
import { FORMATS } from '#agent/programs/logs/formats.ts'
import { backwards, type LogRegion, unzippedRegions } from '#agent/programs/logs/regions.ts'
import { logFolder, writeLog } from '#tests/support/agent/logs.ts'
import { runs } from '#tests/support/runs.ts'

const path = `${logFolder()}/a.log`
const { begins } = FORMATS.php

async function regionsOf(
  name: string,
  text: string,
  read: (file: LogFile) => Promise<LogRegion[]>,
) {
  writeLog(name, text)
  const files = openLogs([path]).filter((file) => file.path === name)
  try {
    const [file] = files
    return file ? await read(file) : []
  } finally {
    closeLogs(files)
  }
}

const textOf = (regions: readonly LogRegion[]) =>
  Buffer.concat(regions.map(({ bytes }) => bytes)).toString()

const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constant('[01-Jan-2026 09:30:00 UTC] PHP Notice:  a'),
  fc.constant('#0 {main}'),
)

test.each([
  ['lines', undefined],
  ['entries', begins],
])('gives all %s of any text, from both ends, at their places', async (_, begin) => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (lines) => {
      const text = Buffer.from(lines.join('\n')).toString()

      const back = await regionsOf(path, text, async (file) => [
        ...backwards(file, file.size, begin),
      ])
      const forth = await regionsOf(`${path}.1.gz`, text, (file) =>
        Array.fromAsync(unzippedRegions(file, begin)),
      )

      expect(textOf(back.toReversed())).toBe(text)
      expect(textOf(forth)).toBe(text)
      for (const { bytes, from } of [...back, ...forth])
        expect(
          Buffer.from(text)
            .subarray(from, from + bytes.length)
            .equals(bytes),
        ).toBe(true)
    }),
    runs(100),
  )
})

test('keeps little of a line without an end, and the places of what follows it', async () => {
  const text = `a\n${'x'.repeat(5 << 20)}\nb\n`

  const back = await regionsOf(path, text, async (file) => [
    ...backwards(file, file.size, undefined),
  ])
  const forth = await regionsOf(`${path}.1.gz`, text, (file) =>
    Array.fromAsync(unzippedRegions(file, undefined)),
  )

  const last = (5 << 20) + 3
  expect(textOf(back).length).toBeLessThan(2 << 20)
  expect(textOf(back.toReversed())).toMatch(/^a\nx{8000,}/)
  expect(textOf(back.toReversed())).toEndWith('b\n')
  expect(textOf(forth)).toMatch(/^a\nx{8000,}/)
  expect(textOf(forth)).toEndWith('b\n')
  const at = (regions: readonly LogRegion[]) =>
    regions.map(({ bytes, from }) => from + bytes.length)
  expect(at(back)).toContain(last + 2)
  expect(at(forth)).toContain(last + 2)
})
