import { INSIDE } from '#agent/features/isolation/attacks/index.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { randomOf } from '#agent/kernel/site/canary.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import type { Pair } from './canaries.ts'
import { attackResults, lineOf } from './report.ts'
import { ask, Neighbour, type Scene } from './scene.ts'
import { placeAttacks, placeNeighbour } from './scripts.ts'

/** Installs scripts in both sites; returns the data that the attacks need. */
export async function preparedScene(host: Host, pair: Pair, scan: Scene['scan']): Promise<Scene> {
  const random = randomOf(pair.attacker)
  const [secret, key] = [host.random.text(32), host.random.text(32)]
  await placeNeighbour(host, pair.neighbour, { random, secret, key })
  const about = Neighbour.parse(await ask({ host, key }, pair.neighbour, 'show'))
  const scene: Scene = { host, ...pair, random, secret, key, about, scan }
  await placeAttacks(scene, INSIDE)
  return scene
}

/** Runs every attack; one log line for each. */
export async function* attempted(scene: Scene, results: IsolationResult[]): Progress<void> {
  for await (const result of attackResults(scene)) {
    results.push(result)
    yield lineOf(result)
  }
}
