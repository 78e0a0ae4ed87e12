import { prepareBase } from '#tests/support/lab/base.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { fail } from './lib/fail.ts'

/** Makes the root filesystems that the hosts of the system tests start from. */
for (const suite of Object.keys(suites) as (keyof typeof suites)[]) {
  await prepareBase(suite).then(({ root }) => console.log(root), fail)
}
