import { hash } from 'node:crypto'

/** The digest of a CREATE TABLE: its next automatic number follows from the rows. */
export const definitionOf = (statement: string): string =>
  hash('sha256', statement.replace(/(\n\) ENGINE=\w+) AUTO_INCREMENT=\d+/, '$1'))
