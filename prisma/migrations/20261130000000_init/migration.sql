-- Every text column is COLLATE "C": ids are compared and ordered bytewise on every server (rule VAL-1).
-- JSON lives in json, never jsonb, which cannot hold every value that JSON can (rule VAL-3).
-- project_id leads every key, so that the tables can be distributed by project.

-- CreateTable
CREATE TABLE "projects" (
    "project_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "cursor_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "project_id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "token_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT COLLATE "C" NOT NULL,
    "role" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("project_id","token_hash")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "project_id" UUID NOT NULL,
    "key_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "secret" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("project_id","key_id")
);

-- CreateTable
CREATE TABLE "revoked_browser_tokens" (
    "project_id" UUID NOT NULL,
    "token_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "revoked_browser_tokens_pkey" PRIMARY KEY ("project_id","token_id")
);

-- CreateTable
CREATE TABLE "conversations" (
    "project_id" UUID NOT NULL,
    "conversation_id" TEXT COLLATE "C" NOT NULL,
    "incarnation" UUID NOT NULL DEFAULT gen_random_uuid(),
    "metadata" JSON NOT NULL,
    "config" JSON,
    "agent_state" JSON,
    "agent_version" INTEGER NOT NULL DEFAULT 0,
    "agent_revision" BIGINT NOT NULL DEFAULT 0,
    "agent_operation_id" TEXT COLLATE "C",
    "run_id" UUID,
    "run_status" TEXT COLLATE "C",
    "run_expires_at" TIMESTAMPTZ(3),
    "run_error" TEXT COLLATE "C",
    "run_interrupt" JSON,
    "last_seq" BIGINT NOT NULL DEFAULT 0,
    "active_branch" INTEGER NOT NULL DEFAULT 0,
    "last_branch" INTEGER NOT NULL DEFAULT 0,
    "parent_conversation_id" TEXT COLLATE "C",
    "parent_message_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversations_pkey" PRIMARY KEY ("project_id","conversation_id")
);

-- CreateTable
CREATE TABLE "messages" (
    "project_id" UUID NOT NULL,
    "message_id" TEXT COLLATE "C" NOT NULL,
    "conversation_id" TEXT COLLATE "C" NOT NULL,
    "branch" INTEGER NOT NULL DEFAULT 0,
    "seq" BIGINT NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL DEFAULT 'message',
    "role" TEXT COLLATE "C",
    "type" TEXT COLLATE "C",
    "payload" JSON NOT NULL,
    "metadata" JSON NOT NULL,
    "bytes" INTEGER NOT NULL,
    "label" TEXT COLLATE "C",
    "source_message_id" TEXT COLLATE "C",
    "first_kept_seq" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("project_id","message_id")
);

-- CreateTable
CREATE TABLE "branches" (
    "project_id" UUID NOT NULL,
    "conversation_id" TEXT COLLATE "C" NOT NULL,
    "branch" INTEGER NOT NULL,
    "parent_branch" INTEGER NOT NULL,
    "fork_seq" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "branches_pkey" PRIMARY KEY ("project_id","conversation_id","branch")
);

-- CreateTable
CREATE TABLE "history_operations" (
    "project_id" UUID NOT NULL,
    "conversation_id" TEXT COLLATE "C" NOT NULL,
    "operation_id" TEXT COLLATE "C" NOT NULL,
    "digest" BYTEA NOT NULL,
    "result" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "history_operations_pkey" PRIMARY KEY ("project_id","conversation_id","operation_id")
);

-- CreateTable
CREATE TABLE "states" (
    "project_id" UUID NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "state" JSON,
    "version" INTEGER NOT NULL DEFAULT 0,
    "revision" BIGINT NOT NULL DEFAULT 0,
    "operation_id" TEXT COLLATE "C",
    "last_seq" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "states_pkey" PRIMARY KEY ("project_id","key")
);

-- CreateTable
CREATE TABLE "state_checkpoints" (
    "project_id" UUID NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "seq" BIGINT NOT NULL,
    "state" JSON NOT NULL,
    "version" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "operation_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "state_checkpoints_pkey" PRIMARY KEY ("project_id","key","seq")
);

-- CreateTable
CREATE TABLE "checkpoints" (
    "project_id" UUID NOT NULL,
    "thread_id" TEXT COLLATE "C" NOT NULL,
    "checkpoint_ns" TEXT COLLATE "C" NOT NULL,
    "checkpoint_id" TEXT COLLATE "C" NOT NULL,
    "parent_checkpoint_id" TEXT COLLATE "C",
    "format" INTEGER NOT NULL,
    "channels" TEXT[] COLLATE "C",
    "versions" TEXT[] COLLATE "C",
    "type" TEXT COLLATE "C" NOT NULL,
    "encoding" TEXT COLLATE "C" NOT NULL,
    "data" BYTEA NOT NULL,
    "metadata_type" TEXT COLLATE "C" NOT NULL,
    "metadata_encoding" TEXT COLLATE "C" NOT NULL,
    "metadata" BYTEA NOT NULL,
    "metadata_json" JSON NOT NULL,
    "metadata_terms" TEXT[] COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checkpoints_pkey" PRIMARY KEY ("project_id","thread_id","checkpoint_ns","checkpoint_id")
);

-- CreateTable
CREATE TABLE "checkpoint_blobs" (
    "project_id" UUID NOT NULL,
    "thread_id" TEXT COLLATE "C" NOT NULL,
    "checkpoint_ns" TEXT COLLATE "C" NOT NULL,
    "channel" TEXT COLLATE "C" NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C",
    "encoding" TEXT COLLATE "C",
    "data" BYTEA,

    CONSTRAINT "checkpoint_blobs_pkey" PRIMARY KEY ("project_id","thread_id","checkpoint_ns","channel","version")
);

-- CreateTable
CREATE TABLE "checkpoint_writes" (
    "project_id" UUID NOT NULL,
    "thread_id" TEXT COLLATE "C" NOT NULL,
    "checkpoint_ns" TEXT COLLATE "C" NOT NULL,
    "checkpoint_id" TEXT COLLATE "C" NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "idx" INTEGER NOT NULL,
    "task_path" TEXT COLLATE "C" NOT NULL,
    "channel" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "encoding" TEXT COLLATE "C" NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "checkpoint_writes_pkey" PRIMARY KEY ("project_id","thread_id","checkpoint_ns","checkpoint_id","task_id","idx")
);

-- CreateTable
CREATE TABLE "transcripts" (
    "project_id" UUID NOT NULL,
    "project_key" TEXT COLLATE "C" NOT NULL,
    "session_id" TEXT COLLATE "C" NOT NULL,
    "incarnation" UUID NOT NULL DEFAULT gen_random_uuid(),
    "last_seq" BIGINT NOT NULL DEFAULT 0,
    "mtime" BIGINT,
    "summary" TEXT COLLATE "C",
    "summary_mtime" BIGINT,
    "summary_seq" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "transcripts_pkey" PRIMARY KEY ("project_id","project_key","session_id")
);

-- CreateTable
CREATE TABLE "transcript_clocks" (
    "project_id" UUID NOT NULL,
    "project_key" TEXT COLLATE "C" NOT NULL,
    "last_mtime" BIGINT NOT NULL,

    CONSTRAINT "transcript_clocks_pkey" PRIMARY KEY ("project_id","project_key")
);

-- CreateTable
CREATE TABLE "transcript_entries" (
    "project_id" UUID NOT NULL,
    "project_key" TEXT COLLATE "C" NOT NULL,
    "session_id" TEXT COLLATE "C" NOT NULL,
    "subpath" TEXT COLLATE "C" NOT NULL,
    "seq" BIGINT NOT NULL,
    "uuid" TEXT COLLATE "C",
    "batch_id" TEXT COLLATE "C" NOT NULL,
    "batch_index" INTEGER NOT NULL,
    "entry" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "transcript_entries_pkey" PRIMARY KEY ("project_id","project_key","session_id","subpath","seq")
);

-- CreateIndex
CREATE UNIQUE INDEX "projects_name_key" ON "projects"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_project_id_token_id_key" ON "api_tokens"("project_id", "token_id");

-- CreateIndex
CREATE INDEX "conversations_project_id_updated_at_conversation_id_idx" ON "conversations"("project_id", "updated_at" DESC, "conversation_id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "messages_project_id_conversation_id_branch_seq_key" ON "messages"("project_id", "conversation_id", "branch", "seq");

-- These indexes hold only what a conversation without branches and sessions has nothing of.
-- CreateIndex
CREATE INDEX "messages_branches_idx" ON "messages"("project_id", "conversation_id", "seq") WHERE "branch" > 0;

-- CreateIndex
CREATE INDEX "messages_labels_idx" ON "messages"("project_id", "conversation_id", "seq") WHERE "label" IS NOT NULL;

-- CreateIndex
CREATE INDEX "messages_compactions_idx" ON "messages"("project_id", "conversation_id", "branch", "seq") WHERE "kind" = 'compaction';

-- CreateIndex
CREATE INDEX "states_project_id_updated_at_key_idx" ON "states"("project_id", "updated_at" DESC, "key" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "state_checkpoints_project_id_key_operation_id_key" ON "state_checkpoints"("project_id", "key", "operation_id");

-- CreateIndex
CREATE INDEX "checkpoints_project_id_checkpoint_id_thread_id_checkpoint_n_idx" ON "checkpoints"("project_id", "checkpoint_id", "thread_id", "checkpoint_ns");

-- CreateIndex
CREATE UNIQUE INDEX "transcript_entries_uuid_key" ON "transcript_entries"("project_id", "project_key", "session_id", "subpath", "uuid");

-- CreateIndex
CREATE UNIQUE INDEX "transcript_entries_batch_key" ON "transcript_entries"("project_id", "project_key", "session_id", "subpath", "batch_id", "batch_index");

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "revoked_browser_tokens" ADD CONSTRAINT "revoked_browser_tokens_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_project_id_conversation_id_fkey" FOREIGN KEY ("project_id", "conversation_id") REFERENCES "conversations"("project_id", "conversation_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "branches" ADD CONSTRAINT "branches_project_id_conversation_id_fkey" FOREIGN KEY ("project_id", "conversation_id") REFERENCES "conversations"("project_id", "conversation_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "history_operations" ADD CONSTRAINT "history_operations_project_id_conversation_id_fkey" FOREIGN KEY ("project_id", "conversation_id") REFERENCES "conversations"("project_id", "conversation_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "states" ADD CONSTRAINT "states_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "state_checkpoints" ADD CONSTRAINT "state_checkpoints_project_id_key_fkey" FOREIGN KEY ("project_id", "key") REFERENCES "states"("project_id", "key") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "checkpoints" ADD CONSTRAINT "checkpoints_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "checkpoint_blobs" ADD CONSTRAINT "checkpoint_blobs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "checkpoint_writes" ADD CONSTRAINT "checkpoint_writes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "transcripts" ADD CONSTRAINT "transcripts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "transcript_clocks" ADD CONSTRAINT "transcript_clocks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "transcript_entries" ADD CONSTRAINT "transcript_entries_project_id_project_key_session_id_fkey" FOREIGN KEY ("project_id", "project_key", "session_id") REFERENCES "transcripts"("project_id", "project_key", "session_id") ON DELETE CASCADE ON UPDATE NO ACTION;

