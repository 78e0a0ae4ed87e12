import type { ProofCode, ProofReport } from '#shared/backups/proof.ts'

/** What a proof has found until now. */
export class Findings {
  readonly #found: ProofReport['findings'] = []
  files = 0
  bytes = 0
  tables = 0
  rows = 0
  pages: ProofReport['pages'] = []
  core: ProofReport['core'] = 'unchecked'
  core_list: ProofReport['core_list']
  /** There is nothing that further checks could use. */
  isOver = false

  add(code: ProofCode, message: string): void {
    this.#found.push({ code, message })
  }

  end(code: ProofCode, message: string): void {
    this.add(code, message)
    this.isOver = true
  }

  report({ backup, at, seconds }: Pick<ProofReport, 'backup' | 'at' | 'seconds'>): ProofReport {
    const { files, bytes, tables, rows, pages, core, core_list } = this
    const findings = [...this.#found]
    const proven = findings.every(({ code }) => code === 'core_differs')
    const counts = { files, bytes, tables, rows, pages, core, ...(core_list && { core_list }) }
    return { backup, at, proven, findings, ...counts, seconds }
  }
}
