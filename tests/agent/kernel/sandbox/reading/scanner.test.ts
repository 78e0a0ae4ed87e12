import { expect, test } from 'bun:test'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type {
  Application,
  DatabaseAnswer,
  ScanReading,
  SiteReader,
} from '#agent/kernel/host/scanner-port.ts'
import { type ScannerHost, siteScanner } from '#agent/kernel/sandbox/reading/scanner.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const PASSWD =
  'root:x:0:0::/root:/bin/sh\nwww-data:x:33:33::/:/bin/sh\nshop:x:1001:1001::/:/bin/sh\n'
const SITE = { docroot: '/srv/www/shop/public', user: 'shop', php: '8.2', domain: 'shop.example' }
const UNKNOWN = { plugins: null, themes: null, core: null }

type Run = (argv: readonly string[], options: RunOptions) => Promise<Partial<Output>>

/** A machine whose sites run PHP like this; time passes when a program sleeps. */
function machine(run: Run) {
  const { files, random } = fakeHost()
  void files.write('/etc/passwd', PASSWD)
  const ran: { argv: readonly string[]; options: RunOptions }[] = []
  let now = 0
  const host = {
    files,
    random,
    privileged: true,
    clock: {
      now: () => now,
      elapsed: () => now,
      async sleep(ms: number) {
        // What needs no time is done first.
        await new Promise((resolve) => setTimeout(resolve, 5))
        now += ms
      },
    },
    shell: {
      async try(argv: readonly string[], options: RunOptions = {}) {
        ran.push({ argv, options })
        return { code: 0, stdout: '', stderr: '', ...(await run(argv, options)) }
      },
    },
  } as unknown as ScannerHost
  return { host, ran, pass: (ms: number) => (now += ms) }
}

const wordOf = ({ input = '{}' }: RunOptions): string => JSON.parse(input).word
/** As the program answers: behind its word. */
const telling =
  (text: string): Run =>
  async (_, options) => ({
    stdout: `noise\n${wordOf(options)} ${text}\n`,
    code: 137,
  })

/** A scan that is unsure of everything, until the test makes it sure. */
function reader(owner = 'shop'): SiteReader {
  const read = <T>(answer: T, facts: string | undefined): ScanReading<T> => ({
    answer,
    unsure: facts === undefined,
    owner,
  })
  const application = (facts: string | undefined): Application => ({
    ...{ owner, limit: null, framework: 'wordpress', wp_version: '7', db_name: facts ?? '' },
    updates: facts === undefined ? UNKNOWN : { plugins: 0, themes: 0, core: false },
  })
  return {
    inventory: async (_, facts) => read(undefined, facts),
    application: async (_, facts) => read(application(facts), facts),
    database: async (_, facts) => read({ state: facts === undefined ? 'none' : 'answers' }, facts),
    databasePassword: async (_, facts) => read(facts, facts),
  }
}

test('runs PHP as the site when reading files is not enough', async () => {
  const { host, ran } = machine(telling('result'))
  const scanner = siteScanner(reader(), host)

  expect(await scanner.databasePassword(SITE)).toBe('result')
  expect((await scanner.application(SITE)).db_name).toBe('result')
  expect(await scanner.database(SITE)).toEqual({ state: 'answers' })
  const { argv, options } = ran[0] ?? { argv: [], options: {} }
  expect(argv[0]).toBe('/usr/bin/php8.2')
  expect(options.site?.user).toBe('shop')
  expect(options.site?.directives).toContain('PrivateNetwork=yes')
  expect(Object.keys(options.env ?? {})).toEqual(['HOME'])
})

test('runs nothing when reading is enough', async () => {
  const { host, ran } = machine(telling('result'))
  const certain = async <T>(read: Promise<ScanReading<T>>) => ({ ...(await read), unsure: false })
  const plain = reader()
  const scanner = siteScanner(
    { ...plain, databasePassword: (site) => certain(plain.databasePassword(site, 'read')) },
    host,
  )

  expect(await scanner.databasePassword(SITE)).toBe('read')
  expect(ran).toEqual([])
})

test.each([
  ['config_no_php', async () => ({ code: 127 })],
  ['config_refused', async () => ({ code: 77 })],
  ['config_failed', async () => ({ code: 255 })],
  ['config_failed', async () => ({ stdout: '\nguess {"wordpress":true}\n' })],
  ['config_failed', async (_: unknown, o: RunOptions) => ({ stdout: `${wordOf(o)} {}\n` })],
  ['config_failed', async (_: unknown, o: RunOptions) => ({ stdout: `\n${wordOf(o)} {}` })],
] satisfies [string, Run][])('says %s, and knows nothing then', async (why, run) => {
  const { host } = machine(run)
  const scanner = siteScanner(reader(), host)

  expect(await scanner.application(SITE)).toMatchObject({
    ...{ framework: 'wordpress', updates: UNKNOWN, unknown_because: why },
  })
  expect(await scanner.databasePassword(SITE)).toBeUndefined()
  expect(await scanner.database(SITE)).toEqual({ state: 'none' })
})

test('reports a site that used all of its time as slow', async () => {
  const { host, pass } = machine(async () => {
    pass(5000)
    return { code: 137 }
  })

  const found = await siteScanner(reader(), host).application(SITE)

  expect(found.unknown_because).toBe('config_slow')
})

test.each([
  ['root', 'root'],
  ['a program', 'daemon'],
  ['nobody', ''],
])('runs nothing as %s', async (_, owner) => {
  const { host, ran } = machine(telling('result'))

  const found = await siteScanner(reader(owner), host).application({ docroot: '/var/www/a' })

  expect(found.unknown_because).toBe('config_refused')
  expect(ran).toEqual([])
})

test.each([
  [{ php_user: 'www-data' }, 'www-data', false],
  [{}, 'shop', true],
] as const)('runs a discovered site as %j: %s', async (more, user, as_owner) => {
  const { host, ran } = machine(telling('result'))

  await siteScanner(reader(), host).databasePassword({ docroot: '/var/www/a', ...more })

  expect(ran.map(({ options }) => options.site?.user)).toEqual([user])
  expect(JSON.parse(ran[0]?.options.input ?? '{}')).toMatchObject({ as_owner })
})

test('a hundred hanging sites delay nobody, and the other sites are reported later', async () => {
  const hanging = Promise.withResolvers<Partial<Output>>()
  const { host, pass } = machine(() => hanging.promise)
  const scanner = siteScanner(reader(), host)
  const sites = Array.from({ length: 100 }, (_, at) => ({ ...SITE, docroot: `/srv/www/${at}` }))
  const start = host.clock.elapsed()

  for (const site of sites)
    expect((await scanner.application(site)).unknown_because).toBe('config_pending')

  expect(host.clock.elapsed() - start).toBeLessThan(2000)
  hanging.resolve({ code: 255 })
  await new Promise((resolve) => setTimeout(resolve, 10))
  pass(1)
  expect((await scanner.application(SITE)).unknown_because).toBe('config_failed')
})

test('reads a site again after five minutes, and returns the previous answer meanwhile', async () => {
  let result = 'first'
  const { host, ran, pass } = machine((argv, options) => telling(result)(argv, options))
  const scanner = siteScanner(reader(), host)
  const name = async () => (await scanner.application(SITE)).db_name
  expect([await name(), await name()]).toEqual(['first', 'first'])
  expect(ran.length).toBe(1)

  result = 'second'
  pass(300_000)
  expect(await name()).toBe('first')
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(await name()).toBe('second')
})

test('asks the configuration again when the database refuses what it said before', async () => {
  let password = 'old'
  const { host, ran } = machine((argv, options) => telling(password)(argv, options))
  const answers = async (facts: string | undefined): Promise<ScanReading<DatabaseAnswer>> => ({
    answer: { state: facts === password ? 'answers' : 'refused' },
    unsure: facts === undefined,
    owner: 'shop',
  })
  const scanner = siteScanner({ ...reader(), database: (_, facts) => answers(facts) }, host)
  expect([await scanner.database(SITE), await scanner.database(SITE)]).toEqual([
    { state: 'answers' },
    { state: 'answers' },
  ])
  expect(ran).toHaveLength(1)

  password = 'new'

  expect(await scanner.database(SITE)).toEqual({ state: 'answers' })
  expect(ran).toHaveLength(2)
})
