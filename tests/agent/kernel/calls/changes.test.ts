import { describe, expect, test } from 'bun:test'
import { changesOf } from '#agent/kernel/calls/changes.ts'
import type { AskReading } from '#agent/kernel/calls/reading.ts'
import type { SiteMail } from '#shared/mail/mail.ts'
import { NO_MAIL } from '#shared/mail/mail.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
import {
  Changes,
  type ChangesPart,
  ChangesRequest,
  MAX_CHANGES,
  PARTS,
  type PartVersions,
  sinceOf,
} from '#shared/servers/changes.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'

const space = { used: 1, total: 2, unit: 'MB' as const }
const metrics = {
  ...{ cpu: 1, ram: space, disk: space, load: [0, 0, 0] as [number, number, number] },
  ...{ uptime: 1, os: 'Debian', version: '1.0.0' },
}
const up = (domain: string): SiteHealth => {
  const verdict = { state: 'up', code: 'up', reason: '' } as const
  return { domain, ...verdict, checks: [{ check: 'php', ...verdict }] }
}
const down = (domain: string): SiteHealth => ({
  ...{ ...up(domain), state: 'down', code: 'php_failed' },
})
const HASH = expect.stringMatching(/^[\w-]{43}$/)

/** An agent on a clock that the test moves, and what it reads. */
function agentOf() {
  const clock = new SteppedClock()
  const mail: { sites: SiteMail[] } = { sites: [] }
  const values = {
    health: [up('a.example')],
    counted: 60,
    /** By path; an answer in place of its path, or a failure. */
    state: {} as Record<string, () => Promise<object>>,
    mail,
  }
  const read: string[] = []
  const since: number[] = []
  const ask: AskReading = async (at): Promise<never> => {
    const path = at.replace('GET ', '')
    if (path === '/metrics') return metrics as never
    read.push(path)
    const usual = path === '/mail' ? { running: true, ...mail } : { path }
    return (await (values.state[path]?.() ?? usual)) as never
  }
  const numbers = {
    list(after: number) {
      since.push(after)
      return []
    },
    get changed() {
      return values.counted
    },
  }
  const host = { clock }
  const start = clock.elapsed()
  async function changes(
    versions: PartVersions,
    { wait = 0, signal = new AbortController().signal } = {},
  ) {
    const params = ChangesRequest.parse({ since: sinceOf(versions), wait: String(wait) })
    const health = () => values.health
    const answer = await changesOf({ host, params, signal, health, numbers, ask })
    const { versions: found, answers } = answer
    expect(Changes.parse(answer)).toEqual(answer)
    return {
      versions: found,
      carried: Object.keys(answers),
      answers,
      seconds: (clock.elapsed() - start) / 1000,
    }
  }
  /** The versions of all parts. */
  const known = async () => (await changes({})).versions as Required<PartVersions>
  return { clock, values, read, since, changes, known }
}

type Values = ReturnType<typeof agentOf>['values']

const CHANGE: { readonly [part in ChangesPart]: (values: Values) => void } = {
  health: (values) => {
    values.health = [down('a.example')]
  },
  numbers: (values) => {
    values.counted = 120
  },
  state: (values) => {
    values.state['/web'] = async () => ({})
  },
}

describe('the changes of a server', () => {
  test('are everything when no version is given', async () => {
    const { changes, read, values } = agentOf()

    const { versions, answers, seconds } = await changes({})

    const state = PARTS.state.map((path) => [path, path === '/mail' ? MAIL : { path }])
    expect({ versions, answers, seconds }).toEqual({
      versions: { health: HASH, numbers: '60', state: HASH },
      answers: {
        '/sites/health': { sites: values.health },
        '/sites/numbers': { sites: [] },
        ...Object.fromEntries(state),
      },
      seconds: 0,
    })
    expect(read).toEqual([...PARTS.state])
  })

  test.each<[ChangesPart, string[]]>([
    ['health', ['/sites/health']],
    ['numbers', ['/sites/numbers']],
    ['state', [...PARTS.state]],
  ])('carry exactly what has changed, at once: %s', async (part, carried) => {
    const { changes, known, values } = agentOf()
    const before = await known()
    CHANGE[part](values)

    const answer = await changes(before, { wait: 50 })

    expect({ carried: answer.carried, seconds: answer.seconds }).toEqual({ carried, seconds: 0 })
    const same = Object.entries(before).filter(
      ([name, version]) => Reflect.get(answer.versions, name) === version,
    )
    expect(same.map(([name]) => name)).toEqual(Object.keys(before).filter((name) => name !== part))
  })

  test('have the parts alone that are wanted, and the numbers since the known ones', async () => {
    const { changes, read, since } = agentOf()

    const { versions, carried } = await changes({ health: '', numbers: '42' })

    expect({ versions, carried }).toEqual({
      versions: { health: HASH, numbers: '60' },
      carried: ['/sites/health', '/sites/numbers'],
    })
    expect({ read, since }).toEqual({ read: [], since: [42] })
  })

  test('do not include counts of sent mail, but mail that waits', async () => {
    const { changes, known, values } = agentOf()
    const before = await known()
    values.mail.sites = [{ domain: 'a.example', ...NO_MAIL, sent_day: 7 }]
    const sent = await changes(before)
    values.mail.sites = [{ domain: 'a.example', ...NO_MAIL, queued: 1 }]

    expect([sent.carried, (await changes(before)).carried]).toEqual([[], [...PARTS.state]])
  })
})

describe('a held call', () => {
  test('ends at its time with the same versions and nothing else, and reads the state once', async () => {
    const { clock, changes, known, read } = agentOf()
    const before = await known()
    read.length = 0

    const held = changes(before, { wait: 8 })
    await clock.pass(60_000)

    expect(await held).toEqual({ versions: before, carried: [], answers: {}, seconds: 8 })
    expect(read).toEqual([...PARTS.state])
  })

  test.each<[ChangesPart, number]>([
    ['health', 2_000],
    ['numbers', 2_000],
    ['state', 30_000],
  ])('is answered soon after a change of %s', async (part, within_ms) => {
    const { clock, changes, known, values } = agentOf()
    const before = await known()
    const held = changes(before, { wait: 50 })
    await clock.pass(5_000)

    CHANGE[part](values)
    await clock.pass(60_000)

    expect((await held).seconds * 1000 - 5_000).toBeWithin(0, within_ms + 1)
  })

  test('ends when the connection is closed', async () => {
    const { clock, changes, known } = agentOf()
    const before = await known()
    const closed = new AbortController()

    const held = changes(before, { wait: 50, signal: closed.signal })
    await clock.pass(5_000)
    closed.abort()
    await clock.pass(60_000)

    expect((await held).seconds).toBe(6)
  })
})

describe('the state', () => {
  test('is read once for simultaneous calls', async () => {
    const { changes, read } = agentOf()

    await Promise.all([changes({ state: '' }), changes({ state: '' }), changes({ state: '' })])

    expect(read).toEqual([...PARTS.state])
  })

  test.each(PARTS.state.filter((path) => path !== '/mail'))(
    'has another version when %s answers something else',
    async (path) => {
      const { changes, known, values } = agentOf()
      const before = await known()
      values.state[path] = async () => ({ path, sites: [] })

      const { versions } = await changes({ state: before.state })

      expect(versions).toEqual({ state: HASH })
      expect(versions.state).not.toBe(before.state)
    },
  )

  test.each(PARTS.state)('has no version when %s fails, which is left out', async (path) => {
    const { changes, values } = agentOf()
    values.state[path] = () => Promise.reject(new Error('failed'))

    const { versions, carried } = await changes({ state: '' })

    expect({ versions, carried }).toEqual({
      versions: { state: null },
      carried: PARTS.state.filter((each) => each !== path),
    })
  })

  test('has no version when its readings take longer than a dashboard waits', async () => {
    const { changes, clock, read, values } = agentOf()
    values.state['/web'] = async () => {
      void clock.pass(3_000)
      await clock.sleep(3_000)
      return {}
    }

    const { versions, carried } = await changes({ state: 'v1' })

    const three = ['/services', '/sites', '/web']
    expect({ versions, carried, read }).toEqual({
      ...{ versions: { state: null }, carried: three, read: three },
    })
  })
})

test('an answer has at most 1 MiB: what needs more is left out', async () => {
  const { changes, values } = agentOf()
  const answers: Record<string, object> = {
    '/sites': { text: 'ö'.repeat(MAX_CHANGES / 2) },
    '/usage': { text: 'x'.repeat(MAX_CHANGES - 8_000) },
    '/logins': { text: 'x'.repeat(8_000) },
  }
  for (const [path, answer] of Object.entries(answers)) values.state[path] = async () => answer

  const { answers: found, carried } = await changes({ state: '' })

  expect(carried).toEqual(PARTS.state.filter((path) => path !== '/sites' && path !== '/logins'))
  expect(Buffer.byteLength(JSON.stringify(found))).toBeLessThan(MAX_CHANGES)
})

test.each([
  ['since', 'health'],
  ['since', 'health.a.b'],
  ['since', 'disk.abc'],
  ['since', 'health.a/b'],
  ['since', `health.${'x'.repeat(65)}`],
  ['since', 'x'.repeat(301)],
  ['wait', '56'],
  ['wait', '-1'],
])('a request with the %s %p is refused', (name, value) => {
  const { error } = ChangesRequest.safeParse({ [name]: value })

  expect(error?.issues.map(({ path }) => path.join())).toEqual([name])
})

const MAIL = { running: true, sites: [] }
