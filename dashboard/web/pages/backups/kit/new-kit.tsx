import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { BACKUPS, confirmKit, createKit, kitsQuery } from '#dashboard/web/api/backups.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, TextAreaField, TextField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { saveText } from '#dashboard/web/ui/save-text.ts'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import { answerOf, createKeyPair, hasWebCrypto } from './key-pair.ts'
import { DECRYPT, KIT_FILE, privateKeyIn, renderKit } from './kit-file.ts'

/** What both ways to create a kit get. */
interface KitSteps {
  onClose: () => void
  /** Sends the decrypted challenge, in base64, and closes the dialog. */
  confirm: (answer: string) => Promise<void>
}

/** Creates a kit, and asks for the proof that it was saved. */
export function NewKit({ open, onClose }: DialogState) {
  const client = useQueryClient()
  const confirm = async (answer: string) => {
    const { kit } = await confirmKit(answer)
    client.setQueryData(kitsQuery.queryKey, { in_use: kit, pending: null })
    void client.invalidateQueries({ queryKey: BACKUPS })
    toast('The recovery kit is confirmed. Keep it offline, in two safe places.')
    onClose()
  }
  const Steps = hasWebCrypto() ? GeneratedKit : OpensslKit
  return (
    <Dialog open={open} onClose={onClose} title="Create recovery kit" wide>
      {open && <Steps onClose={onClose} confirm={confirm} />}
    </Dialog>
  )
}

/** The browser generates the key pair: the private key never leaves the page. */
function GeneratedKit(props: KitSteps) {
  const client = useQueryClient()
  const { form, result } = useFormCall(
    async () => {
      const { public_key, private_key } = await createKeyPair()
      const { kit, challenge } = await createKit(public_key)
      void client.invalidateQueries(kitsQuery)
      return { text: renderKit({ ...kit, private_key }), challenge }
    },
    { isSecret: true, onClose: props.onClose },
  )
  if (result) return <SavedKit {...props} {...result} />
  return (
    <DialogForm action="Create recovery kit" {...form}>
      <div className="flex max-w-prose flex-col gap-3 text-muted">
        <p>
          Each repository has a password of its own, which its server generates. The kit is the key
          that opens these passwords if this dashboard and the servers are lost.
        </p>
        <p>
          Your browser generates it now. The private key stays in this page: save it as a file,
          print it, and then choose the saved file to prove that it works. The kit is in use from
          then on.
        </p>
        <p>
          A previous kit stays in use until then. Keep it until every site has been backed up with
          the new one.
        </p>
      </div>
    </DialogForm>
  )
}

const CREATE = `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out ${KIT_FILE}
openssl pkey -in ${KIT_FILE} -pubout`

/** The browser has no cryptography without HTTPS: the user runs openssl instead. */
function OpensslKit({ onClose, confirm }: KitSteps) {
  const [key, setKey] = useState('')
  const { form, refusals, result } = useFormCall(
    () => createKit(`${key.replaceAll('\r', '').trim()}\n`),
    { fields: ['public_key'], changes: [kitsQuery.queryKey], onClose },
  )
  if (result) return <Challenge onClose={onClose} confirm={confirm} challenge={result.challenge} />
  return (
    <DialogForm action="Use this key" {...form} isBlocked={key.trim() === ''}>
      <Notice kind="info" title="This page is not served over HTTPS">
        The browser cannot generate the kit here. Create it with openssl on your own computer, not
        on a server.
      </Notice>
      <Snippet text={CREATE} what="the commands" />
      <TextAreaField
        label="Public key"
        name="public_key"
        hint="What the second command prints. The file stays with you: keep it offline."
        error={refusals.public_key}
        value={key}
        onChange={setKey}
      />
    </DialogForm>
  )
}

function Challenge({ challenge, confirm, onClose }: KitSteps & { challenge: string }) {
  const [answer, setAnswer] = useState('')
  const { form, refusals } = useFormCall(() => confirm(answer.trim()), {
    fields: ['answer'],
    onClose,
  })
  return (
    <DialogForm action="Confirm recovery kit" {...form} isBlocked={answer.trim() === ''}>
      <p className="text-muted">
        Prove that the file opens what is encrypted to it: run this command where you saved it.
      </p>
      <Snippet
        text={`printf %s '${challenge}' | ${DECRYPT} | openssl base64 -A`}
        what="the command"
      />
      <TextField
        label="Answer"
        name="answer"
        hint="What the command prints."
        error={refusals.answer}
        value={answer}
        onChange={setAnswer}
      />
    </DialogForm>
  )
}

interface SavedKitProps extends KitSteps {
  /** The text of the kit. */
  text: string
  challenge: string
}

/** Why the chosen file proves nothing. */
class NotTheKit extends Error {}

/** Saves the kit, then reads the saved file and answers the challenge with it. */
function SavedKit({ text, challenge, confirm, onClose }: SavedKitProps) {
  const [isSaved, setIsSaved] = useState(false)
  const [file, setFile] = useState<File>()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (chosen: File) => confirm(await answerWith(await chosen.text(), challenge)),
  })
  const refused = error instanceof NotTheKit ? error.message : refusalsIn(error).answer
  const download = () => {
    saveText(KIT_FILE, text)
    setIsSaved(true)
  }
  return (
    <DialogForm
      action="Confirm recovery kit"
      onSubmit={() => file && mutate(file)}
      onCancel={onClose}
      isBlocked={!file}
      isBusy={isPending}
      error={refused === undefined ? error : null}
    >
      <Notice kind="warn" title="The kit is shown only now">
        Nobody can create this key again. Keep it offline, in two safe places: whoever has it and
        the storage can read every backup.
      </Notice>
      <div className="flex flex-wrap gap-2">
        <Button kind={isSaved ? 'plain' : 'primary'} icon={<Download />} onClick={download}>
          Download kit
        </Button>
        <Button icon={<Printer />} onClick={() => window.print()}>
          Print kit
        </Button>
      </div>
      {isSaved && (
        <Field
          label="Saved kit"
          name="file"
          hint={`Choose the file ${KIT_FILE} where you saved it. It is read here, and not uploaded.`}
          error={refused}
        >
          <Input
            type="file"
            accept=".txt,text/plain"
            onChange={({ target }) => {
              reset()
              setFile(target.files?.[0])
            }}
          />
        </Field>
      )}
      {createPortal(<pre className="print-only">{text}</pre>, document.body)}
    </DialogForm>
  )
}

async function answerWith(text: string, challenge: string): Promise<string> {
  const key = privateKeyIn(text)
  if (key === undefined) throw new NotTheKit('The file has no private key. Choose the saved kit.')
  return answerOf(key, challenge).catch(() => {
    throw new NotTheKit('The file is another kit. Choose the one that you have just saved.')
  })
}
