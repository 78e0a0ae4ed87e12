import { useQuery } from '@tanstack/react-query'
import { Download, KeyRound, ShieldCheck, ShieldOff } from 'lucide-react'
import { useState } from 'react'
import {
  confirmTotp,
  replaceRecoveryCodes,
  startTotp,
  stopTotp,
  totpQuery,
} from '#dashboard/web/api/account.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useCodeField } from '#dashboard/web/ui/code-field.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QrCode } from '#dashboard/web/ui/qr-code.tsx'
import { saveText } from '#dashboard/web/ui/save-text.ts'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { TotpState } from '#shared/kernel/api/auth.ts'

const FEW_CODES = 3
const CHANGES = [['totp'], ['second-factor'], ['activity']]

/** The authenticator app of the account. */
export function TwoFactor() {
  const { data, error, refetch } = useQuery(totpQuery)
  const [open, setOpen] = useState<'set up' | 'codes' | 'turn off'>()
  const dialog = (name: typeof open) => ({
    open: open === name,
    onClose: () => setOpen(undefined),
  })
  return (
    <Card title="Two-factor authentication">
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <div className="flex flex-col gap-4">
          {data.enabled ? <Enabled state={data} /> : <Disabled />}
          <div className="flex flex-wrap gap-2">
            {data.enabled ? (
              <>
                <Button icon={<KeyRound />} onClick={() => setOpen('codes')}>
                  Create recovery codes
                </Button>
                <Button icon={<ShieldOff />} onClick={() => setOpen('turn off')}>
                  Turn off
                </Button>
              </>
            ) : (
              <Button icon={<ShieldCheck />} kind="primary" onClick={() => setOpen('set up')}>
                Set up two-factor authentication
              </Button>
            )}
          </div>
        </div>
      )}
      <SetUp {...dialog('set up')} />
      <NewCodes {...dialog('codes')} />
      <TurnOff {...dialog('turn off')} />
    </Card>
  )
}

const Disabled = () => (
  <p className="max-w-prose text-muted">
    Off. When it is on, a login needs a code of an authenticator app on your phone in addition to
    the password.
  </p>
)

function Enabled({ state: { since, recovery_codes_left: left } }: { state: TotpState }) {
  return (
    <>
      <Facts
        of={{
          Status: since === null ? 'On' : <>On since {<Time at={since} />}</>,
          'Recovery codes': `${formatCount(left, 'unused code')} left`,
        }}
      />
      {left < FEW_CODES && (
        <Notice kind="warn" title="Few recovery codes are left">
          Create new ones: without them you cannot log in when you lose your phone.
        </Notice>
      )}
    </>
  )
}

const SetUp = dialogOf(PasswordStep, () => ({ title: 'Set up two-factor authentication' }))

function PasswordStep({ onClose }: DialogState) {
  const [password, setPassword] = useState('')
  const { form, refusals, result } = useFormCall(() => startTotp(password), {
    fields: ['password'],
    isSecret: true,
    onClose,
  })
  if (result) return <AppStep {...result} onClose={onClose} />
  return (
    <DialogForm action="Continue" {...form} isBlocked={password === ''}>
      <p className="text-muted">
        You need an authenticator app, such as Aegis, 1Password, Google Authenticator or Microsoft
        Authenticator.
      </p>
      <CurrentPassword value={password} error={refusals.password} onChange={setPassword} />
    </DialogForm>
  )
}

interface AppStepProps extends Pick<DialogState, 'onClose'> {
  secret: string
  uri: string
}

/** The secret for the app, and its first code. */
function AppStep({ secret, uri, onClose }: AppStepProps) {
  const [code, setCode] = useState('')
  const { form, refusals, result } = useFormCall(() => confirmTotp(code), {
    fields: ['code'],
    changes: CHANGES,
    isSecret: true,
    onClose,
  })
  if (result) return <RecoveryCodes codes={result} onClose={onClose} />
  return (
    <DialogForm action="Turn on" {...form} isBlocked={code.trim() === ''}>
      <p className="text-muted">Scan the QR code with your authenticator app.</p>
      <div className="self-center">
        <QrCode text={uri} name="QR code for the authenticator app" />
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="text-muted">If you cannot scan it, enter this secret in the app:</p>
        <Snippet text={secret} what="the secret" />
      </div>
      <TextField
        data-first
        name="code"
        label="Code of the app"
        hint="Six digits. All your other sessions end."
        error={refusals.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={64}
        value={code}
        onChange={setCode}
      />
    </DialogForm>
  )
}

const NewCodes = dialogOf(NewCodesStep, () => ({ title: 'Create recovery codes' }))

function NewCodesStep({ onClose }: DialogState) {
  const { form, fields, given } = useProof()
  const call = useFormCall(() => replaceRecoveryCodes(given), {
    fields: ['password', 'code'],
    changes: CHANGES,
    isSecret: true,
    onClose,
  })
  if (call.result) return <RecoveryCodes codes={call.result} onClose={onClose} />
  return (
    <DialogForm action="Create recovery codes" {...call.form} {...form}>
      <p className="text-muted">Your previous recovery codes are no longer valid then.</p>
      {fields(call.refusals)}
    </DialogForm>
  )
}

const TurnOff = dialogOf(TurnOffStep, () => ({ title: 'Turn off two-factor authentication?' }))

function TurnOffStep({ onClose }: DialogState) {
  const { form, fields, given } = useProof()
  const call = useFormCall(() => stopTotp(given), {
    fields: ['password', 'code'],
    changes: CHANGES,
    done: 'Two-factor authentication is off',
    onSuccess: onClose,
    onClose,
  })
  return (
    <DialogForm action="Turn off" isDestructive {...call.form} {...form}>
      <p className="text-muted">
        A login then needs the password only. All your other sessions end.
      </p>
      {fields(call.refusals)}
    </DialogForm>
  )
}

/** The fields of a change that needs the password and a code. */
function useProof() {
  const [password, setPassword] = useState('')
  const { code, isMissing, codeField } = useCodeField({ isAlways: true })
  return {
    given: { password, code: '', ...code },
    form: { isBlocked: password === '' || isMissing },
    fields: (refusals: Readonly<Record<string, string>>) => (
      <>
        <CurrentPassword value={password} error={refusals.password} onChange={setPassword} />
        {codeField(refusals.code)}
      </>
    ),
  }
}

interface CurrentPasswordProps {
  value: string
  error: string | undefined
  onChange: (text: string) => void
}

const CurrentPassword = (props: CurrentPasswordProps) => (
  <TextField
    {...props}
    name="password"
    label="Your password"
    type="password"
    autoComplete="current-password"
  />
)

interface RecoveryCodesProps extends Pick<DialogState, 'onClose'> {
  codes: readonly string[]
}

/** Shows new recovery codes, once: the dashboard keeps only their hashes. */
function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const [areStored, setStored] = useState(false)
  const text = codes.join('\n')
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="warn" title="The recovery codes are shown only once">
        Each replaces one code of the app, for example when you lose your phone. Store them where
        you find them without it, such as in a password manager.
      </Notice>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-3 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code} className="select-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Copy text={text} what="the recovery codes" />
        <Button
          icon={<Download />}
          onClick={() => saveText('hosting-control-recovery-codes.txt', `${text}\n`)}
        >
          Download recovery codes
        </Button>
      </div>
      <CheckField label="I have stored them" checked={areStored} onChange={setStored} />
      <div className="flex justify-end">
        <Button kind="primary" disabled={!areStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
