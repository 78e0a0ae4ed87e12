import type { z } from 'zod'
import { SHELL_ANSWER, SHELL_SCRIPT } from './entries.ts'
import { Verdicts } from './job.ts'
import { ssh } from './login.ts'
import { givePerson, takePeople } from './person.ts'
import { type Scene, textOf } from './scene.ts'

const LIMIT_MS = 5 * 60_000

/** Runs the attacks in a shell of the attacker, as a person would. Throws if they did not run. */
export async function runInShell({
  host,
  attacker,
}: Pick<Scene, 'host' | 'attacker'>): Promise<z.infer<typeof Verdicts>> {
  try {
    const login = await givePerson(host, attacker, 'shell')
    const { stderr } = await ssh(host, login, ['wp', 'eval-file', SHELL_SCRIPT], [], LIMIT_MS)
    const text = await textOf(host, attacker, SHELL_ANSWER)
    if (text === '') throw new Error(`no shell of the site has run: ${stderr.slice(-200)}`)
    return Verdicts.parse(JSON.parse(text))
  } finally {
    await takePeople(host.steady ?? host, attacker)
  }
}
