import { expect, test } from 'bun:test'
import { backupServer, fromSite, run, siteServer } from '#tests/support/agent/cloning.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { times } from '#tests/support/runs.ts'

test.each(['site', 'backup'] as const)(
  'leaves nothing of a copy of a %s, whichever effect fails',
  async (kind) => {
    const { params } = await backupServer()
    const chosen = kind === 'site' ? fromSite : params
    const made = async () => (kind === 'site' ? siteServer() : (await backupServer()).host)
    let failed = 0

    await eachFault(
      made,
      (host) => run(host, chosen),
      async (host, before, [, result], fault) => {
        if (typeof result !== 'string') return
        failed += 1
        const known =
          /^\/(srv\/www\/\.restore(\/copy)?|var\/lib\/hosting-agent\/(backups|cache|cache\/restic))$/
        const kept = (disk: Record<string, string | null>) =>
          Object.fromEntries(Object.entries(disk).filter(([path]) => !known.test(path)))
        expect([fault, kept(host.disk.all)]).toEqual([fault, kept(before)])
        expect([fault, [...host.databases.keys()]]).toEqual([fault, ['shop']])
      },
    )
    expect(failed).toBeGreaterThan(times(40))
  },
  60_000,
)
