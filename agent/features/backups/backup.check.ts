import { createHash } from 'node:crypto'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import type { Repository } from '#agent/features/backups/restic/repository.ts'
import { type Opened, refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  newPassword,
  openedOf,
  openFiles,
} from '#agent/features/backups/restic/session.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { andThen, command, line, type Progress, ready, value } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { checkTarget, refuseWrongFields } from './check-target.ts'

/** The lock, and the folder of secrets on the server. */
const NAME = 'hosting-check'

const password = value<Secret>('The repository has no password')
const isAppendOnly = value<boolean>('The target was not checked')

/** One at a time for each server, since its repository has one name. */
export const backupCheck = command('backup.check', {
  lock: () => NAME,
  async check({ target }, host) {
    await refuseUnready(host, target)
    return {}
  },
  find: async () => ({}),
  steps: ({ params, host, gives, find }) => [
    line(gives(password, () => newPassword(host, NAME, NAME))),
    ready(() => resticSteps(host)),
    andThen(() => {
      const repository = repositoryOf(params, find(password) ?? new Secret(''))
      const opened = openedOf(host, repository, NAME)
      return [
        {
          name: 'target',
          title: 'Connecting to the target',
          ...openFiles(host, repository, NAME),
          undo: closeFiles(host, NAME).apply,
        },
        {
          name: 'check',
          title: 'Writing to the target, and reading from it',
          effects: [run('program', 'restic')],
          apply: gives(isAppendOnly, () => tryTarget(host, opened)),
        },
        { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, NAME) },
      ]
    }),
  ],
  result: ({ get }) => ({ append_only: get(isAppendOnly) }),
})

async function* tryTarget(host: Host, opened: Opened): Progress<boolean> {
  await refuseWrongFields(host, opened)
  return yield* checkTarget(host, opened, NAME)
}

/**
 * A repository of the server itself, which every check uses again: its password, which stays on the
 * server, names it, so that servers of several dashboards can share a storage. It is another one
 * after an interrupted creation.
 */
const repositoryOf = ({ target }: ParamsOf<'backup.check'>, secret: Secret): Repository => ({
  name: `${NAME}-${digestOf(secret)}`,
  target,
  password: secret,
})

const digestOf = (secret: Secret): string =>
  createHash('sha256').update(`${NAME} ${secret.reveal()}`).digest('hex').slice(0, 12)
