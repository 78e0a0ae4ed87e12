import fc from 'fast-check'
import { runs } from './runs.ts'

/** The body holds for inputs of these kinds, as many as `runs` says; a failure prints the input. */
export function forAll<Inputs extends [unknown, ...unknown[]]>(
  ...property: [
    ...kinds: { [Index in keyof Inputs]: fc.Arbitrary<Inputs[Index]> },
    body: (...inputs: Inputs) => void,
  ]
): void {
  fc.assert(fc.property<Inputs>(...property), runs())
}
