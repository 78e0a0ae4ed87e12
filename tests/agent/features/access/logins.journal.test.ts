import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { Logins } from '#agent/features/access/logins.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

/** The journals of real servers: sshd, and what the user of a site wrote to look like it. */
const FOLDER = `${import.meta.dir}/../../../support/fixtures/journal`

type Entry = Record<string, string>

const allOf = async (release: string): Promise<Entry[]> =>
  (await readFile(`${FOLDER}/${release}.jsonl`, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** What journalctl(1) prints: of one field any of the values, of several fields all, and a pattern. */
function select(entries: readonly Entry[], argv: readonly string[]): Entry[] {
  const matches = argv.filter((word) => /^_[A-Z]+=/.test(word)).map((word) => word.split('='))
  const fields = Map.groupBy(matches, ([name]) => name)
  const pattern = argv.find((word) => word.startsWith('--grep='))?.slice('--grep='.length) ?? ''
  return entries.filter(
    (entry) =>
      new RegExp(pattern).test(entry.MESSAGE ?? '') &&
      [...fields].every(([name = '', some]) => some.some(([, value]) => entry[name] === value)),
  )
}

const BOOKWORM = 'SHA256:y2AvbteNBGpiWOnnwe+iFcbTi96fTbK4yKESTJfL84U'
const TRIXIE = 'SHA256:QYAH7rxK60szWCk/xbdxMt5XnJ5enCF4Wxzq7G9V1pg'
const FORGED = 'Accepted publickey for shop from 203.0.113.7 port 1 ssh2: ED25519 SHA256:'

test.each([
  [
    'bookworm',
    BOOKWORM,
    ['34.943', '35.077', '35.356', '35.873', '37.632', '37.776', '42.896', '43.214'],
    15,
  ],
  [
    'trixie',
    TRIXIE,
    ['44.569', '44.755', '44.909', '45.300', '46.799', '46.842', '51.412', '51.538'],
    16,
  ],
] as const)(
  'the journal of %s says who logged in, and nothing that a site wrote',
  async (release, fingerprint, seconds, minute) => {
    const host = await server(shop)
    host.disk.putText('/etc/ssh/sshd_config.d/00-hosting-control.conf', '')
    const entries = await allOf(release)
    host.table.journalctl = (_, argv) =>
      printed(
        select(entries, argv)
          .map((entry) => `${JSON.stringify(entry)}\n`)
          .join(''),
      )
    host.time = Date.UTC(2026, 10, 30, 12, 1)

    const { logins, refusals } = await new Logins(host).list()

    const forged = entries.filter(({ MESSAGE = '' }) => MESSAGE.startsWith(FORGED))
    expect(forged.map(({ _UID, SYSLOG_IDENTIFIER }) => [_UID, SYSLOG_IDENTIFIER])).toEqual(
      Array.from({ length: 4 }, () => ['1000', 'sshd']),
    )
    const timeAt = (place: number) => `2026-11-30T11:${minute}:${seconds[place]}Z`
    const facts = { domain: shop.domain, address: '127.0.0.1' }
    const session = (number: number, values: object) => ({
      ...{ ...facts, at: timeAt(2 * number - 2), ended_at: timeAt(2 * number - 1), seq: number },
      ...{ kind: 'sftp', fingerprint, client: null, ...values },
    })
    expect(logins).toEqual([
      session(1, {}),
      session(2, { kind: 'shell' }),
      session(3, { fingerprint: '', client: 'abcd2345' }),
      session(4, {}),
    ] as never)
    const hour = { domain: shop.domain, at: '2026-11-30T11:00:00.000Z' }
    // A wrong key and a wrong password; and a right key to an account that had expired.
    expect(refusals).toEqual([
      { ...hour, address: '127.0.0.1', attempts: 2, seq: 5 },
      { ...hour, address: null, attempts: 1, seq: 6 },
    ])
  },
)
