import { expect, test } from 'bun:test'
import { importDatabase, importStream } from '#agent/kernel/database/import.ts'
import { spaceWatch } from '#agent/kernel/database/space-watch.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const ENDED = 'The import was ended before it filled the disk'

const MB = 2 ** 20

/** A server whose disk of MariaDB has so many MB free at each look. */
function withSpace(...free: number[]) {
  const host = fakeHost()
  const left = [...free]
  host.disk.space = async () => ({ free: (left.shift() ?? free.at(-1) ?? 0) * MB, total: 1e12 })
  return host
}

const ended = (host: FakeHost) => host.queries.filter((sql) => sql.startsWith('KILL USER'))

async function look({ options }: Awaited<ReturnType<typeof spaceWatch>>): Promise<void> {
  options.seen()
  await Bun.sleep(1)
}

test('ends the connections of the account below 64 MB, again and again, and says why', async () => {
  const host = withSpace(500, 65, 60, 10)
  const watch = await spaceWatch(host, 'shop')
  const lost = new Error('Lost connection')

  await look(watch)
  expect([ended(host), watch.explain(lost)]).toEqual([[], lost])
  await look(watch)
  await look(watch)

  expect(ended(host)).toHaveLength(2)
  expect(watch.explain(lost)).toEqual(
    new Error('The import was ended before it filled the disk: /var/lib/mysql has 62.9 MB free', {
      cause: lost,
    }),
  )
})

test('a disk that had little space before allows half of it', async () => {
  const host = withSpace(40, 21, 19)
  const watch = await spaceWatch(host, 'shop')

  await look(watch)
  expect(ended(host)).toEqual([])
  await look(watch)

  expect(ended(host)).toEqual(["KILL USER ?@'localhost' | shop"])
})

test('a look that fails does not end the import, and the next one is made', async () => {
  const host = withSpace(500, 10)
  const watch = await spaceWatch(host, 'shop')
  host.failSql('KILL USER', 'no such account')
  await look(watch)
  await look(watch)

  expect(ended(host)).toHaveLength(2)
})

test('an import that is ended so fails for the full disk, whatever its programs print', async () => {
  const host = withSpace(500, 10)
  const attempt = host.shell.try
  host.shell.try = async (argv, options) => {
    const output = await attempt(argv, options)
    if (argv[0] !== 'mariadb') return output
    expect(options?.seen_ms).toBe(200)
    options?.seen?.(1)
    await Bun.sleep(1)
    const fed = { code: 141, stderr: '', bytes: 1, sha256: '', end: '' }
    return { code: 1, stdout: '', stderr: 'ERROR 2013 (HY000) at line 3: Lost connection', fed }
  }

  const work = importStream(host, 'shop', (load) => load({ argv: ['cat'], options: {} }, 1000))

  await expect(work).rejects.toThrow(`${ENDED}: /var/lib/mysql has 10.5 MB free`)
})

test.each([
  ['leave_some', 1, `${ENDED}: /var/lib/mysql has 66.1 MB free`],
  ['use_all', 0, 'MariaDB did not import the dump (ERROR 2013 (HY000) at line 3)'],
] as const)('the import of a file with %s ends %i connections', async (space, count, message) => {
  const host = withSpace(500, 63, 500)
  await host.files.write('/dump.sql', 'SELECT 1;\n')
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    if (argv[0] !== 'mariadb') return run(argv, options)
    options?.seen?.(1)
    await Bun.sleep(1)
    const stderr = 'ERROR 2013 (HY000) at line 3: Lost connection'
    throw new CommandFailed(argv, { code: 1, stdout: '', stderr })
  }

  const work = importDatabase(host, 'shop', '/dump.sql', space)

  await expect(work).rejects.toThrow(message)
  expect(ended(host)).toHaveLength(count)
})
