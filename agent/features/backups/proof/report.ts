import type { ProofCode, ProofReport } from '#shared/backups/proof.ts'

/** The findings of a proof. */
export class Findings {
  readonly #found: ProofReport['findings'] = []
  files = 0
  bytes = 0
  tables = 0
  rows = 0
  pages: ProofReport['pages'] = []
  core: ProofReport['core'] = 'unchecked'
  core_list: ProofReport['core_list']
  /** True when further checks have nothing to use. */
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
