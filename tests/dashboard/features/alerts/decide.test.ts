import { describe, expect, test } from 'bun:test'
import {
  type Alert,
  BEGIN_DELAY_MS,
  decide,
  END_DELAY_MS,
} from '#dashboard/features/alerts/decide.ts'
import {
  type Attention,
  type AttentionItem,
  type AttentionKind,
  SHOWN,
} from '#shared/overview/api/attention.ts'

type Facts = Partial<AttentionItem> & { name: string }

const item = (facts: Facts): AttentionItem => ({
  severity: 'critical',
  server_id: null,
  site_id: null,
  operation_id: null,
  subject: '',
  reason: `${facts.name} does not work: repair it`,
  at: null,
  count: 1,
  query: null,
  ...facts,
})

const group = (kind: AttentionKind, items: AttentionItem[], total = items.length): Attention => ({
  kind,
  severity: items[0]?.severity ?? 'info',
  total,
  items: items.slice(0, SHOWN),
  query: null,
})

const down = (...sites: number[]) =>
  group(
    'site_down',
    sites.map((id) => item({ name: `s${id}.example`, server_id: 1, site_id: id })),
  )
const service = (name: string) =>
  item({ name: 'web-1', server_id: 1, subject: name, reason: `${name} has failed: restart it` })

/** Rounds of a dashboard that stores what was decided, and mails it unless told otherwise. */
class Rounds {
  now = Date.parse('2026-03-01T00:00:00.000Z')
  stored: Alert[] = []
  offline: number[] = []

  look(attention: Attention[], { mails = true } = {}): { begun: string[]; ended: string[] } {
    const servers = this.offline.map((id) => ({ id, status: 'offline', metrics_age: 30 }))
    const now = new Date(this.now)
    const { current, begun, ended } = decide(this.stored, { attention, servers }, now)
    const over = new Set(mails ? ended.map(({ key }) => key) : [])
    const told = new Set(mails ? begun.map(({ key }) => key) : [])
    const mailed = { mailed_at: now.toISOString(), message_id: 'm' }
    this.stored = structuredClone(current)
      .filter(({ key }) => !over.has(key))
      .map((alert) => (told.has(alert.key) ? { ...alert, ...mailed } : alert))
    const names = (alerts: Alert[]) => alerts.map(({ key, name }) => name || key)
    return { begun: names(begun), ended: names(ended) }
  }

  /** All begins and ends of looks every ten seconds for so long. */
  pass(ms: number, attention: Attention[], how?: { mails: boolean }) {
    const all = { begun: [] as string[], ended: [] as string[] }
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 10_000
      const { begun, ended } = this.look(attention, how)
      all.begun.push(...begun)
      all.ended.push(...ended)
    }
    return all
  }
}

const nothing = { begun: [], ended: [] }
const MINUTE = 60_000

describe('sites of a server that have one item', () => {
  const late = (name: string, site_id: number | null = null) =>
    group('backup_late', [item({ name, server_id: 1, site_id })])

  test('do not end because another one joins or leaves them', () => {
    const rounds = new Rounds()
    expect(rounds.pass(MINUTE, [late('a.example', 1)]).begun).toEqual(['a.example'])
    expect(rounds.pass(10 * MINUTE, [late('web-1')])).toEqual(nothing)
    expect(rounds.pass(10 * MINUTE, [late('b.example', 2)])).toEqual(nothing)
    expect(rounds.pass(10 * MINUTE, [])).toEqual({ begun: [], ended: ['b.example'] })
    expect(rounds.stored).toEqual([])
  })
})

describe('a critical item', () => {
  test('is mailed once when it stays, and once when it is over', () => {
    const rounds = new Rounds()
    expect(rounds.look([down(1)])).toEqual(nothing)
    expect(rounds.pass(BEGIN_DELAY_MS - 10_000, [down(1)])).toEqual(nothing)
    expect(rounds.pass(60 * MINUTE, [down(1)])).toEqual({ begun: ['s1.example'], ended: [] })
    expect(rounds.pass(END_DELAY_MS, [])).toEqual(nothing)
    expect(rounds.pass(60 * MINUTE, [])).toEqual({ begun: [], ended: ['s1.example'] })
    expect(rounds.stored).toEqual([])
  })

  test('is mailed with the others that began soon after it', () => {
    const rounds = new Rounds()
    rounds.look([down(1)])
    rounds.now += 10_000
    rounds.look([down(1, 2), group('service_failed', [service('nginx')])])
    const { begun } = rounds.pass(MINUTE, [down(1, 2), group('service_failed', [service('nginx')])])
    expect(begun).toEqual(['s1.example', 's2.example', 'web-1'])
  })

  test('is not mailed when it is over soon', () => {
    const rounds = new Rounds()
    expect(rounds.pass(20_000, [down(1)])).toEqual(nothing)
    expect(rounds.pass(60 * MINUTE, [])).toEqual(nothing)
  })

  test('that comes and goes is one alert', () => {
    const rounds = new Rounds()
    expect(rounds.pass(MINUTE, [down(1)]).begun).toEqual(['s1.example'])
    for (let turn = 0; turn < 5; turn += 1) {
      expect(rounds.pass(50_000, [])).toEqual(nothing)
      expect(rounds.pass(MINUTE, [down(1)])).toEqual(nothing)
    }
  })

  test('continues while it is a warning, which alone is not mailed', () => {
    const disk = (severity: 'critical' | 'warning', percent: number) => [
      group('disk_full', [
        item({ name: 'web-1', server_id: 1, severity, reason: `The disk is ${percent} % full` }),
      ]),
    ]
    const rounds = new Rounds()
    expect(rounds.pass(60 * MINUTE, disk('warning', 94))).toEqual(nothing)
    expect(rounds.pass(MINUTE, disk('critical', 96)).begun).toEqual(['web-1'])
    expect(rounds.pass(60 * MINUTE, disk('critical', 97))).toEqual(nothing)
    expect(rounds.pass(60 * MINUTE, disk('warning', 94))).toEqual(nothing)
    expect(rounds.pass(60 * MINUTE, []).ended).toEqual(['web-1'])
  })

  test('continues while its server is offline, because nothing is known then', () => {
    const rounds = new Rounds()
    rounds.pass(MINUTE, [down(1)])
    rounds.offline = [1]
    expect(rounds.pass(60 * MINUTE, [])).toEqual(nothing)
    rounds.offline = []
    expect(rounds.pass(5 * MINUTE, []).ended).toEqual(['s1.example'])
  })

  test('is told apart from another one of the same server', () => {
    const rounds = new Rounds()
    const [nginx, mariadb] = [service('nginx'), service('mariadb')]
    expect(rounds.pass(MINUTE, [group('service_failed', [nginx])]).begun).toHaveLength(1)
    const both = [group('service_failed', [mariadb, nginx])]
    expect(rounds.pass(MINUTE, both).begun).toHaveLength(1)
    expect(rounds.pass(5 * MINUTE, [group('service_failed', [mariadb])]).ended).toHaveLength(1)
  })

  test('is decided again until its message was sent', () => {
    const rounds = new Rounds()
    rounds.pass(MINUTE, [down(1)], { mails: false })
    expect(rounds.look([down(1)], { mails: false }).begun).toEqual(['s1.example'])
    expect(rounds.look([down(1)]).begun).toEqual(['s1.example'])
    rounds.pass(5 * MINUTE, [], { mails: false })
    expect(rounds.look([], { mails: false }).ended).toEqual(['s1.example'])
    expect(rounds.look([]).ended).toEqual(['s1.example'])
    expect(rounds.look([])).toEqual(nothing)
  })

  test('is mailed although the clock was set back', () => {
    const rounds = new Rounds()
    rounds.look([down(1)])
    rounds.now -= 60 * MINUTE
    expect(rounds.look([down(1)]).begun).toEqual(['s1.example'])
  })
})

describe('a kind with more items than the overview shows', () => {
  const sites = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
  const flood = (count: number) => [{ ...down(...sites(Math.min(count, SHOWN))), total: count }]

  test('is one alert, and those that are left are not mailed again', () => {
    const rounds = new Rounds()
    expect(rounds.pass(5 * MINUTE, flood(100)).begun).toEqual(['site_down all'])
    expect(rounds.pass(5 * MINUTE, flood(40))).toEqual(nothing)
    expect(rounds.pass(5 * MINUTE, flood(3))).toEqual({ begun: [], ended: ['site_down all'] })
    expect(rounds.pass(60 * MINUTE, flood(3))).toEqual(nothing)
    expect(rounds.pass(5 * MINUTE, flood(4)).begun).toEqual(['s4.example'])
    expect(rounds.pass(5 * MINUTE, flood(1)).ended).toEqual([2, 3, 4].map((id) => `s${id}.example`))
  })

  test('takes in the alerts of its single items', () => {
    const rounds = new Rounds()
    expect(rounds.pass(MINUTE, flood(2)).begun).toEqual(['s1.example', 's2.example'])
    expect(rounds.pass(60 * MINUTE, flood(50))).toEqual({ begun: ['site_down all'], ended: [] })
    expect(rounds.pass(60 * MINUTE, [])).toEqual({ begun: [], ended: ['site_down all'] })
  })

  test('is not over because the servers are offline', () => {
    const rounds = new Rounds()
    rounds.pass(MINUTE, flood(50))
    rounds.offline = [1]
    expect(rounds.pass(60 * MINUTE, [])).toEqual(nothing)
  })
})
