import { must } from './run.ts'

const AGENT = ['agent', 'shared', 'package.json', 'bun.lock']

/** Returns the seconds of the last commit of the agent; undefined without a history. */
export async function lastCommitOf(root: string): Promise<number | undefined> {
  // The checkout may belong to another user than root.
  const git = ['git', '-c', `safe.directory=${root}`, '-C', root]
  const text = await must([...git, 'log', '-1', '--format=%ct', '--', ...AGENT]).catch(() => '')
  return /^\d+\s*$/.test(text) ? Number(text) : undefined
}
