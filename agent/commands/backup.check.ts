import { createHash } from 'node:crypto'
import type { Host } from '#agent/host/ports.ts'
import { checkTarget, refuseWrongFields } from '#agent/os/backup/check-target.ts'
import { run } from '#agent/os/effects/effects.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import type { Repository } from '#agent/os/restic/repository.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { closeFiles, newPassword, openedOf, openFiles } from '#agent/os/restic/session.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { Secret } from '#shared/secret.ts'

/** The lock, and the folder of secrets on the server. */
const NAME = 'hosting-check'

/** One at a time for each server, since its repository has one name. */
export const backupCheck: Command<'backup.check'> = {
  lock: () => NAME,
  steps: (params, host) => stepsOf(host, repositoryOf(params, new Secret(''))),
  async plan(params, host) {
    await refuseUnready(host, params.target)
    return [...(await resticSteps(host)), ...stepsOf(host, repositoryOf(params, new Secret('')))]
  },
  async *run(params, { host, announce, perform }) {
    await refuseUnready(host, params.target)
    const result = { append_only: false }
    const password = await newPassword(host, NAME, NAME)
    const missing = await resticSteps(host)
    const steps = stepsOf(host, repositoryOf(params, password), result)
    announce([...missing, ...steps])
    yield* perform([...missing, ...steps])
    return result
  },
}

/**
 * A repository of the server itself, which every check uses again: its password, which stays on the
 * server, names it, so that servers of several dashboards can share a storage. It is another one
 * after an interrupted creation.
 */
const repositoryOf = ({ target }: ParamsOf<'backup.check'>, password: Secret): Repository => ({
  name: `${NAME}-${digestOf(password)}`,
  target,
  password,
})

const digestOf = (password: Secret): string =>
  createHash('sha256').update(`${NAME} ${password.reveal()}`).digest('hex').slice(0, 12)

function stepsOf(
  host: Host,
  repository: Repository,
  result: { append_only: boolean } = { append_only: false },
): Step[] {
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
      async *apply() {
        const opened = openedOf(host, repository, NAME)
        await refuseWrongFields(host, opened)
        result.append_only = yield* checkTarget(host, opened, NAME)
      },
    },
    { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, NAME) },
  ]
}
