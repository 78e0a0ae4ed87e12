// tier: gate
import { expect, test } from 'bun:test'
import { chmod, cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  confinedReader,
  confinedRestic,
} from '#dashboard/features/backups/off-site/confined-programs.ts'
import { runProgram } from '#dashboard/features/backups/off-site/run-program.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

/**
 * A shell in the place of restic: it tries what an attacker would make restic do. `data` is DATA_DIR,
 * with the records and the folder of restic's files.
 */
async function attempt(script: (paths: Record<'data' | 'files' | 'store', string>) => string) {
  await using folder = await makeFolder()
  const [data, store] = [join(folder.path, 'data'), join(folder.path, 'store')]
  const files = join(data, 'off-site')
  for (const path of [files, store]) await mkdir(path, { recursive: true })
  await Bun.write(`${data}/dashboard.db`, 'the records\n')
  await Bun.write(`${files}/password`, 'the password\n')
  const program = join(data, 'restic')
  await cp('/bin/sh', program)
  await chmod(program, 0o700)
  const place = { kind: 'local' as const, path: store }
  const argv = await confinedRestic(program, { place, folder: files })
  const { code, stdout, stderr } = await runProgram(
    [...argv, '-c', script({ data, files, store })],
    {
      is_limited: true,
    },
  )
  const lines = stderr.trim().split('\n').filter(Boolean)
  const reasons = lines.map((line) => line.replace(/^.*: /, ''))
  return { code, stdout, reasons, data: (await readdir(data)).sort(), store: await readdir(store) }
}

const UNTOUCHED = { data: ['dashboard.db', 'off-site', 'restic'], store: [] }

test.each([
  ['a program of the system', () => '/usr/bin/id', 126],
  ['a script', () => 'cd "$TMPDIR"; /usr/bin/touch here', 126],
  ['a file that it wrote', ({ store }: { store: string }) => `${store}/own`, 127],
])('it executes nothing but itself: %s', async (_, script, code) => {
  const found = await attempt(script)

  expect({ ...found, reasons: found.reasons.length }).toEqual({
    ...{ ...UNTOUCHED, code, stdout: '', reasons: 1 },
  })
})

test('it reads its own files, and none of the records', async () => {
  const found = await attempt(
    ({ data, files }) =>
      `read text < ${files}/password; echo "$text"; text=; read text < ${data}/dashboard.db; echo "$text"`,
  )

  expect(found).toMatchObject({ stdout: 'the password\n\n', reasons: ['Permission denied'] })
})

test('it writes to the folder of its target, and not to the records', async () => {
  const found = await attempt(
    ({ data, store }) => `echo 1 > ${store}/pack; echo 1 > ${data}/another; echo 1 > /tmp/another`,
  )

  expect(found).toMatchObject({ data: UNTOUCHED.data, store: ['pack'] })
  expect(found.reasons[0]).toBe('Permission denied')
})

test('it has at most 1 GB of memory, and leaves no core', async () => {
  expect((await attempt(() => 'ulimit -d; ulimit -c')).stdout).toBe('1048576\n0\n')
})

test('a program that unpacks reads its file, and executes, reads and changes nothing else', async () => {
  await using folder = await makeFolder()
  const [file, records] = [join(folder.path, 'restic.deb'), join(folder.path, 'dashboard.db')]
  await Bun.write(file, 'the package\n')
  await Bun.write(records, 'the records\n')
  const script = `read text < ${file}; echo "$text"; read text < ${records} || echo 2 > ${file} || /usr/bin/id`

  const { code, stdout, stderr } = await runProgram(
    await confinedReader(['sh', '-c', script], file),
    {
      is_limited: true,
    },
  )

  expect({ code, stdout, reasons: stderr.match(/Permission denied/gi)?.length }).toEqual({
    code: 126,
    stdout: 'the package\n',
    reasons: 3,
  })
  expect(await Bun.file(file).text()).toBe('the package\n')
})
