import { fail } from '#scripts/lib/fail.ts'
import { ATTACKS, type Attack } from './attacks.ts'

/** The program of the attackers: `bun strangers.ts ATTACK URL` prints the result of the attack. */
const [attack = '', url = ''] = process.argv.slice(2)

const isAttack = (name: string): name is Attack => name in ATTACKS

async function main(): Promise<void> {
  if (!isAttack(attack)) throw new Error(`${attack} is no attack`)
  console.log(await ATTACKS[attack](url))
}

await main().then(() => process.exit(0), fail)
