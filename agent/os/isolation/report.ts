import type { IsolationResult } from '#shared/isolation.ts'
import { type Attack, CONTEXTS, type Context, failed, type Verdict, worstOf } from './attack.ts'
import { INSIDE, OUTSIDE } from './attacks/index.ts'
import { readJob, runJob, Verdicts } from './job.ts'
import { ask, type Scene } from './scene.ts'

const MOST_DETAIL = 300
const WORDS: Record<Verdict['outcome'], string> = {
  refused: 'Refused',
  succeeded: 'SUCCEEDED',
  not_applicable: 'Not applicable',
  error: 'Could not be tried',
}

type Answers = ReadonlyMap<string, Verdict>

/** Runs the attacks inside the attacker, in every context. */
export async function fromInside(scene: Scene): Promise<IsolationResult[]> {
  const answers: { [P in Context]: Answers } = {
    php: await orFailed(async () => Verdicts.parse(await ask(scene, scene.attacker, 'try'))),
    job: await orFailed(() => verdictsOfJob(scene)),
  }
  return [...INSIDE].map(([id, attack]) => {
    const here = CONTEXTS.filter((context) => attack.contexts.includes(context))
    return resultOf(
      id,
      attack,
      worstOf(here.map((context) => [context, verdictIn(answers[context], id)])),
    )
  })
}

/** Runs the other attacks, one after the other. */
export async function* fromOutside(scene: Scene): AsyncGenerator<IsolationResult, void> {
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

async function verdictsOfJob(scene: Scene) {
  await runJob(scene)
  return (await readJob(scene.host, scene.attacker)).verdicts
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

const verdictIn = (answers: Answers, id: string) => answers.get(id) ?? failed('it gave no answer')

/** A successful attack is reported with its consequence. */
function resultOf(id: string, attack: Attack, { outcome, detail }: Verdict): IsolationResult {
  const seen = shown(detail)
  const whole = outcome === 'succeeded' ? `${seen}. ${attack.meaning}` : seen
  return { id, title: attack.title, outcome, detail: whole }
}

/** One line that a page can show. */
const shown = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, MOST_DETAIL)

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
