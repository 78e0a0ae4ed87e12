import { INSIDE, OUTSIDE } from '#agent/features/isolation/attacks/index.ts'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { type Attack, CONTEXTS, type Context, failed, type Verdict, worstOf } from './attack.ts'
import { runCronJob } from './cron-job.ts'
import { readJob, runJob, Verdicts } from './job.ts'
import { withoutPeople } from './person.ts'
import { ask, type Scene } from './scene.ts'
import { runInShell } from './shell-session.ts'

const MAX_DETAIL = 300
const WORDS: Record<Verdict['outcome'], string> = {
  refused: 'Refused',
  succeeded: 'SUCCEEDED',
  not_applicable: 'Not applicable',
  error: 'Could not be tried',
}

type Answers = ReadonlyMap<string, Verdict>

/** Runs the attacks inside the attacker, in every context that the server has, then the others, one after the other. */
export async function* attackResults(scene: Scene): AsyncGenerator<IsolationResult, void> {
  const hasCron = isMet(NEEDS.jobs, scene.host)
  const hasShell = hasCron && (await withoutPeople(scene.host, 'shell')) === undefined
  const answers: Record<Context, Answers | undefined> = {
    php: await orFailed(async () => Verdicts.parse(await ask(scene, scene.attacker, 'try'))),
    job: await orFailed(async () => {
      await runJob(scene)
      return (await readJob(scene.host, scene.attacker)).verdicts
    }),
    cron: hasCron ? await orFailed(() => runCronJob(scene)) : undefined,
    shell: hasShell ? await orFailed(() => runInShell(scene)) : undefined,
  }
  for (const [id, attack] of INSIDE) {
    const { contexts = CONTEXTS } = attack
    const none = failed('it returned no answer')
    const verdicts = contexts.flatMap((context) => {
      const all = answers[context]
      return all ? [[context, all.get(id) ?? none] as const] : []
    })
    yield resultOf(id, attack, worstOf(verdicts))
  }
  for (const [id, attack] of OUTSIDE) {
    const verdict = await attack.attempt(scene).catch((error: unknown) => failed(messageOf(error)))
    yield resultOf(id, attack, verdict)
  }
}

/** The line of one attack in the log. */
export function lineOf({ id, title, outcome, detail }: IsolationResult): string {
  const severity = (INSIDE.get(id) ?? OUTSIDE.get(id))?.severity
  const words = outcome === 'succeeded' ? `${WORDS[outcome]}, ${severity}` : WORDS[outcome]
  return `${words}: ${title}${detail === '' ? '' : ` (${detail})`}`
}

/** If none of them could be tried, each gets the reason as its verdict. */
async function orFailed(work: () => Promise<Record<string, Verdict>>): Promise<Answers> {
  try {
    return new Map(Object.entries(await work()))
  } catch (error) {
    const verdict = failed(messageOf(error))
    return new Map([...INSIDE.keys()].map((id) => [id, verdict]))
  }
}

/** A successful attack is reported with its consequence. */
function resultOf(id: string, attack: Attack, { outcome, detail }: Verdict): IsolationResult {
  // One line that a page can show.
  const line = detail.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, MAX_DETAIL)
  const whole = outcome === 'succeeded' ? `${line}. ${attack.meaning}` : line
  return { id, title: attack.title, outcome, detail: whole }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
