import { fail } from '#scripts/lib/fail.ts'
import { ATTACKS, type Attack } from './attacks.ts'

/** A program of its own for the strangers: `bun strangers.ts ATTACK URL` prints what became of them. */
const [attack = '', url = ''] = process.argv.slice(2)

const isAttack = (name: string): name is Attack => name in ATTACKS

async function main(): Promise<void> {
  if (!isAttack(attack)) throw new Error(`${attack} is no attack`)
  console.log(await ATTACKS[attack](url))
}

await main().then(() => process.exit(0), fail)
