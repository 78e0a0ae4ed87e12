import type { Step } from '#agent/kernel/steps/command.ts'
import type { Effect, Plan } from '#shared/kernel/plan.ts'

/** The steps that would run: without those already done. Changes nothing. */
export async function planOf(steps: readonly Step[]): Promise<Plan> {
  const plan: Plan = { steps: [] }
  const made = new Set<string>()
  for (const step of steps) {
    if (await step.check?.()) continue
    const effects = (await effectsOf(step)).flatMap((effect) => after(made, effect))
    const notes = [...((await step.notes?.()) ?? [])]
    plan.steps.push({
      ...{ name: step.name, title: step.title, effects },
      ...(notes.length > 0 && { notes }),
    })
  }
  return plan
}

/** An effect that must be accepted replaces the same effect without consent. */
async function effectsOf({ effects, imposes }: Step): Promise<readonly Effect[]> {
  const plain = typeof effects === 'function' ? await effects() : effects
  const imposed = (await imposes?.()) ?? []
  const keyOf = ({ action, kind, name }: Effect) => `${action} ${kind} ${name}`
  const keys = new Set(imposed.map(keyOf))
  return [...imposed, ...plain.filter((effect) => !keys.has(keyOf(effect)))]
}

/** A later step changes a file that an earlier step creates. */
function after(made: Set<string>, effect: Effect): Effect[] {
  const key = `${effect.kind} ${effect.name}`
  if (effect.action !== 'create') return [effect]
  if (made.has(key)) return effect.kind === 'file' ? [{ ...effect, action: 'change' }] : []
  made.add(key)
  return [effect]
}
