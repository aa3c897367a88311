#if PostgreSQL
    import PostgresEngine

    /// The rights of a role on the schema and the tables of a store, and the statements that give them.
    enum PostgresRights {
        /// One row: the role, the database, and what the role may do in them (PostgreSQL documentation, "Access
        /// Privilege Inquiry Functions").
        private static let question = """
            SELECT quote_ident(current_user), quote_ident(current_database()),
              has_database_privilege(current_database(), 'CREATE'), schema.oid IS NOT NULL,
              has_schema_privilege(schema.oid, 'USAGE'), has_schema_privilege(schema.oid, 'CREATE'),
              EXISTS (SELECT FROM pg_class WHERE relnamespace = schema.oid AND relkind = 'r'),
              NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = schema.oid AND relkind = 'r' AND NOT (
                has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))),
              (SELECT quote_ident(pg_get_userbyid(relowner)) FROM pg_class WHERE relnamespace = schema.oid
                AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE') LIMIT 1)
            FROM (SELECT 1) AS one LEFT JOIN pg_namespace AS schema ON nspname = '\(PostgresSchema.name)'
            """

        /// The error of a statement, or in its place the one that says which right the role lacks.
        ///
        /// A schema that a role may not use is not in its search path, so that its tables seem to be missing. The step
        /// that failed is rolled back, because nothing more is answered within it.
        static func explained(_ error: PostgresError, in connection: PostgresConnection) -> PostgresError {
            guard error.fault == .rights || error.fault == .schema, !connection.isLost else { return error }
            _ = try? connection.run("ROLLBACK")
            guard let row = try? connection.run(question).first, row.count == 9, let role = row[0],
                let database = row[1]
            else { return error }
            let (isThere, hasTables) = (row[3] == "t", row[6] == "t")
            let schema = PostgresSchema.name
            if !isThere {
                guard row[2] != "t" else { return error }
                return lack("make the schema of the agent", "GRANT CREATE ON DATABASE \(database) TO \(role);")
            }
            if !hasTables {
                guard row[4] != "t" || row[5] != "t" else { return error }
                return lack("make tables in its schema", "GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(role);")
            }
            if row[4] != "t" || row[7] != "t" {
                return lack(
                    "use the tables of the agent",
                    "GRANT USAGE ON SCHEMA \(schema) TO \(role); "
                        + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role);")
            }
            guard error.fault == .rights, let owner = row[8] else { return error }
            return lack("change the tables of the agent for this version", "GRANT \(owner) TO \(role);")
        }

        private static func lack(_ action: String, _ statements: String) -> PostgresError {
            PostgresError(.rights, "The role may not \(action); this lets it: \(statements)")
        }
    }
#endif
