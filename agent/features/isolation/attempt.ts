import type { z } from 'zod'
import { INSIDE_ATTACKS, SCENE_ATTACKS } from '#agent/features/isolation/attacks/index.ts'
import { jobServiceOf } from '#agent/features/jobs/cron/own-files.ts'
import { applyOwnJobs } from '#agent/features/jobs/cron/own-jobs.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { randomPartOf } from '#agent/kernel/site/canary.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import {
  type Attack,
  type AttackContext,
  type AttackVerdict,
  CONTEXTS,
  failed,
  worstOf,
} from './attack.ts'
import type { CanaryPair } from './canaries.ts'
import { CRON_ANSWER, CRON_SCRIPT, SHELL_ANSWER, SHELL_SCRIPT } from './entry-scripts.ts'
import { readJob, runJob, Verdicts } from './job.ts'
import { ssh } from './login.ts'
import { accessProblem, givePerson, removePeople } from './person.ts'
import { NeighbourReport, readAsSite, requestScript, type Scene } from './scene.ts'
import { installAttacks, installNeighbour } from './scripts.ts'

/** Installs scripts in both sites; returns the data that the attacks need. */
export async function prepareScene(
  host: Host,
  pair: CanaryPair,
  scan: Scene['scan'],
): Promise<Scene> {
  const random = randomPartOf(pair.attacker)
  const [secret, key] = [host.random.text(32), host.random.text(32)]
  await installNeighbour(host, pair.neighbour, { random, secret, key })
  const about = NeighbourReport.parse(await requestScript({ host, key }, pair.neighbour, 'show'))
  const scene: Scene = { host, ...pair, random, secret, key, about, scan }
  await installAttacks(scene, INSIDE_ATTACKS)
  return scene
}

/** Runs every attack, and yields a log line for each. */
export async function* runAttacks(scene: Scene, results: IsolationResult[]): Progress<void> {
  for await (const result of attackResults(scene)) {
    results.push(result)
    yield lineOf(result)
  }
}

const MAX_DETAIL = 300
const WORDS: Record<AttackVerdict['outcome'], string> = {
  refused: 'Refused',
  succeeded: 'SUCCEEDED',
  not_applicable: 'Not applicable',
  error: 'Could not be tried',
}

type AttackVerdicts = ReadonlyMap<string, AttackVerdict>

/** Runs the attacks inside the attacker, in every context that the server has, then the others, one after the other. */
async function* attackResults(scene: Scene): AsyncGenerator<IsolationResult, void> {
  const hasCron = isMet(NEEDS.jobs, scene.host)
  const hasShell = hasCron && (await accessProblem(scene.host, 'shell')) === undefined
  const answers: Record<AttackContext, AttackVerdicts | undefined> = {
    php: await verdictsOrFailure(async () =>
      Verdicts.parse(await requestScript(scene, scene.attacker, 'try')),
    ),
    job: await verdictsOrFailure(async () => {
      await runJob(scene)
      return (await readJob(scene.host, scene.attacker)).verdicts
    }),
    cron: hasCron ? await verdictsOrFailure(() => runCronJob(scene)) : undefined,
    shell: hasShell ? await verdictsOrFailure(() => runInShell(scene)) : undefined,
  }
  for (const [id, attack] of INSIDE_ATTACKS) {
    const { contexts = CONTEXTS } = attack
    const none = failed('it returned no answer')
    const verdicts = contexts.flatMap((context) => {
      const all = answers[context]
      return all ? [[context, all.get(id) ?? none] as const] : []
    })
    yield resultOf(id, attack, worstOf(verdicts))
  }
  for (const [id, attack] of SCENE_ATTACKS) {
    const verdict = await attack.attempt(scene).catch((error: unknown) => failed(messageOf(error)))
    yield resultOf(id, attack, verdict)
  }
}

/** Formats one attack for the log. */
function lineOf({ id, title, outcome, detail }: IsolationResult): string {
  const severity = (INSIDE_ATTACKS.get(id) ?? SCENE_ATTACKS.get(id))?.severity
  const words = outcome === 'succeeded' ? `${WORDS[outcome]}, ${severity}` : WORDS[outcome]
  return `${words}: ${title}${detail === '' ? '' : ` (${detail})`}`
}

/** Gives each attack the reason as its verdict if none of them could be tried. */
async function verdictsOrFailure(
  work: () => Promise<Record<string, AttackVerdict>>,
): Promise<AttackVerdicts> {
  try {
    return new Map(Object.entries(await work()))
  } catch (error) {
    const verdict = failed(messageOf(error))
    return new Map([...INSIDE_ATTACKS.keys()].map((id) => [id, verdict]))
  }
}

/** A successful attack is reported with its consequence. */
function resultOf(id: string, attack: Attack, { outcome, detail }: AttackVerdict): IsolationResult {
  // One line that a page can show.
  const line = detail.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, MAX_DETAIL)
  const whole = outcome === 'succeeded' ? `${line}. ${attack.meaning}` : line
  return { id, title: attack.title, outcome, detail: whole }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const LIMIT_MS = 5 * 60_000

/** Runs the attacks in a shell of the attacker, as a person would. Throws if they did not run. */
async function runInShell({
  host,
  attacker,
}: Pick<Scene, 'host' | 'attacker'>): Promise<z.infer<typeof Verdicts>> {
  try {
    const login = await givePerson(host, attacker, 'shell')
    const { stderr } = await ssh(host, login, ['wp', 'eval-file', SHELL_SCRIPT], [], LIMIT_MS)
    const text = await readAsSite(host, attacker, SHELL_ANSWER)
    if (text === '') throw new Error(`no shell of the site has run: ${stderr.slice(-200)}`)
    return Verdicts.parse(JSON.parse(text))
  } finally {
    await removePeople(host.steady ?? host, attacker)
  }
}

const NAME = 'isolation'

/** Runs the attacks in a cron job of the attacker, as its owner would. Throws if it did not run. */
async function runCronJob({
  host,
  attacker,
}: Pick<Scene, 'host' | 'attacker'>): Promise<z.infer<typeof Verdicts>> {
  const job = {
    name: NAME,
    schedule: '@yearly',
    command: `wp eval-file ${CRON_SCRIPT}`,
    max_minutes: 5,
    enabled: false,
  }
  await applyOwnJobs(host, { ...attacker, jobs: [job] }).apply()
  const unit = jobServiceOf(attacker.user, NAME)
  await host.shell.try(['systemctl', 'start', '--', unit])
  const text = await readAsSite(host, attacker, CRON_ANSWER)
  if (text === '') throw new Error('no cron job of the site has run')
  return Verdicts.parse(JSON.parse(text))
}
