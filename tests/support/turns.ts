import { type Suite, suites } from '#tests/support/lab/suites.ts'
import * as choices from './choices.ts'

const turn = choices.turnsOf(process.env)

/** The gate leaves out what another file tests too, or what costs more than it finds. */
export const { isGate } = turn

/** All choices; in the gate the one whose turn it is at this commit. */
export const inTurn = <T>(all: readonly T[], subject: string): readonly T[] =>
  choices.inTurn(turn, all, subject)

/** The Debian releases on which a subject is tested. */
export const releases = (subject: string): readonly Suite[] =>
  inTurn(Object.keys(suites) as Suite[], subject)

/** All points of a sweep; in the gate 2 of 10. */
export const sampled = <T>(points: readonly T[]): readonly T[] => choices.sampled(turn, points)
