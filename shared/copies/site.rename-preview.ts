import { z } from 'zod'
import { NewPrimary } from '#shared/domains/primary-domain.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { AddressReport } from './copy-source.ts'

export const MAX_TABLES = 500
export const MAX_COLUMNS = 50
export const MAX_FILES = 100

const amount = z.int().nonnegative()

const RenamePreview = AddressReport.extend({
  domain: ReportedDomain,
  primary: ReportedDomain,
  rows: amount.describe('Of all tables.'),
  tables: z
    .array(
      z.object({
        name: z.string().max(64),
        rows: amount,
        columns: z
          .array(
            z.object({
              name: z.string().max(64),
              values: amount.describe('Values that would change.'),
              replaced: amount.describe('Addresses in them.'),
              serialized: amount.describe('Those of them in serialised PHP.'),
            }),
          )
          .max(MAX_COLUMNS),
      }),
    )
    .max(MAX_TABLES)
    .describe('Only tables with changes.'),
  files: z
    .array(z.string().max(300))
    .max(MAX_FILES)
    .describe('Configuration files that would change, in the document root.'),
})

const siteRenamePreview = command({
  name: 'site.rename-preview',
  summary: 'Report what a change of the primary domain would replace in the database and the files',
  changes: false,
  minutes: 6 * 60,
  silent_minutes: 30,
  params: z.object({
    domain: Domain.describe('The current primary domain.'),
    primary: NewPrimary.shape.primary,
  }),
  result: RenamePreview,
})

export const siteRenamePreviewType = operationType({
  name: 'Preview change of primary domain',
  title: 'Preview the change of the primary domain of',
  target: 'site',
  command: siteRenamePreview,
  right: 'operate',
  params: z.object({ primary: NewPrimary.shape.primary }),
  confirms: { ...SAME_DOMAIN, primary: 'primary' },
  outcome: completesWith(RenamePreview),
  bulk: null,
})
