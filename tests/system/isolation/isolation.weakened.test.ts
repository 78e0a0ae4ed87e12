// tier: gate
import { afterAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { checked, startIsolated, traces, WEAKENINGS } from '#tests/support/system/isolation.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000

/** The attack that detects each weakening, and its detail. */
const FOUND = [
  ['files.modes', /wp-config\.php/],
  ['files.modes', /\/srv\/www\/shop1a2b3c(,|$)/],
  ['sql.accounts', /shop1a2b3c \(FILE on \*\)/],
  ['sql.databases', /from PHP/],
  ['process.view', /from PHP: .*; from a cron job: .*; from a shell: /],
  ['sql.adminer', /it read its neighbour/],
  ['ssh.people', /it listed folders outside of its site/],
  ['ssh.clients', /it listed folders outside of its site.*, reached \/run\/mysqld\/mysqld\.sock/],
  ['ssh.keys', /from a shell: read \/etc\/hosting\/ssh, /],
  ['login.tokens', /from PHP: listed \/srv\/www\/canary-n\w+\/tmp\/logins/],
  ['sockets.mail', /listed \/var\/lib\/hosting-mail\/sockets/],
  ['sql.temporary-user', /it .*removed it/],
  ['names.accounts', /from PHP: found them by \/etc\/passwd, /],
  ['names.texts', /from PHP: found them in /],
  ['run.list', /from PHP: saw \/run\//],
  ['run.notify', /from PHP: connected to/],
  ['run.services', /from PHP: connected to udg:\/\/\/run\/systemd\/journal\/socket, /],
  ['journal.output', /from a cron job: the output of a program goes to the journal/],
  ['devices.list', /from PHP: saw \/dev\/ptmx/],
  ['process.files', /from PHP: may open \d+ files in each process/],
  ['kernel.io-uring', /from PHP: the kernel accepted it/],
  ['ports.take', /it can take 3306 of mariadbd/],
  ['visitors.slow', /^20 unfinished requests were open after 20 seconds/],
  ['sql.objects', /routine left_behind in shop1a2b3c/],
] as const

for (const suite of releases('isolation')) {
  unless(lab.available()).describe(`the isolation check on ${suite}`, () => {
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    test(
      'finds changes that weaken the server',
      async () => {
        const { host, agent } = await startIsolated(suite)
        for (const weaken of Object.values(WEAKENINGS)) await weaken(host)

        const results = await checked(agent)

        for (const [id, detail] of FOUND) {
          const found = results.get(id)
          expect([id, found?.outcome, found?.detail]).toEqual([
            id,
            'succeeded',
            expect.stringMatching(detail),
          ])
        }
        expect(await traces(host)).toEqual([])
      },
      20 * MINUTES,
    )
  })
}
