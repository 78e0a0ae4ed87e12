import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { domainOf, siteCall } from './parts.ts'

export const wpLogin: OperationRules<'wp.login'> = {
  ...siteCall,
  params: (_, target, { user_id, token_hash }) => ({
    ...{ domain: domainOf(target), user_id, token_hash },
  }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
