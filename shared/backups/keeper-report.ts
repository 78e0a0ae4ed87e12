import { z } from 'zod'

const count = z.int().nonnegative()

/** The reasons of a problem of a run with a repository. */
const KEEPER_PROBLEMS = ['no_key', 'garbage', 'unreadable', 'clock', 'damaged', 'failed'] as const
export type KeeperProblemCode = (typeof KEEPER_PROBLEMS)[number]

export const KeeperProblem = z.object({
  repository: z.string().max(64),
  code: z.enum(KEEPER_PROBLEMS),
  message: z.string().max(300),
})
export type KeeperProblem = z.infer<typeof KeeperProblem>

/** The limits that keep a report, and a list of more names, below 64 KiB. */
export const MAX_PROBLEMS = 50
export const MAX_NAMES = 1000
/** The maximum number of lists: fewer than the files that agents read in one folder. */
export const MAX_LISTS = 40
const Names = z.array(z.string().max(64)).max(MAX_NAMES)

/** What one run of a keeper did in one storage. */
export const KeeperReport = z.object({
  version: z.literal(1),
  at: z.iso.datetime().describe('The end of the run.'),
  repositories: count,
  postponed: count.describe('Repositories for which the run had no time left.'),
  backups: count.describe('Complete backups that stay.'),
  forgotten: count.describe('Snapshots that were deleted.'),
  troubled: count.describe('Repositories with a problem.'),
  problems: z.array(KeeperProblem).max(MAX_PROBLEMS),
  names: Names.describe('Of the first repositories: the others are in the lists.'),
})
export type KeeperReport = z.infer<typeof KeeperReport>

/** More names of the same run: each list is a file of its own, of the same form as a report. */
export const KeeperNames = z.object({
  version: z.literal(1),
  at: z.iso.datetime(),
  list: z.int().positive(),
  names: Names,
})
export type KeeperNames = z.infer<typeof KeeperNames>

/** The file of a report: the report as JSON, and its signature by the private key of the keeper. */
export const SignedReport = z.object({
  report: z.string().max(65_536),
  signature: z.string().max(2048),
})

/** Returns the signed text: nothing else that a keeper signs begins so. */
export const signedText = (report: string): string => `hosting-keeper-report/1\n${report}`
