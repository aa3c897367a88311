/// The JSON-LD contexts of DID documents and ODRL rights, in the notation of `JSONLDContextNotation`.
enum ControllerJSONLDContexts {
    /// The texts of the contexts in the short notation, by address.
    static let texts: [(address: String, text: String)] = [
        (
            "https://www.w3.org/ns/did/v1",
            """
            @protected + | id @id | type @type | alsoKnownAs A^~ :@id | assertionMethod S^~ :@id *set
            authentication S^authenticationMethod :@id *set
            capabilityDelegation S^capabilityDelegationMethod :@id *set
            capabilityInvocation S^capabilityInvocationMethod :@id *set | controller S^~ :@id
            keyAgreement S^keyAgreementMethod :@id *set
            service D^~ :@id { @protected + | id @id | type @type | serviceEndpoint D^~ :@id }
            verificationMethod S^~ :@id
            """
        ),
        (
            "https://www.w3.org/ns/odrl.jsonld",
            """
            odrl O^ | rdf http://www.w3.org/1999/02/22-rdf-syntax-ns# | rdfs http://www.w3.org/2000/01/rdf-schema#
            owl http://www.w3.org/2002/07/owl# | skos http://www.w3.org/2004/02/skos/core#
            dct http://purl.org/dc/terms/ | xsd X^ | vcard http://www.w3.org/2006/vcard/ns#
            foaf http://xmlns.com/foaf/0.1/ | schema http://schema.org/ | cc http://creativecommons.org/ns# | uid @id
            type @type | Policy odrl:~ | Rule odrl:~ | profile odrl:~ :@id | inheritFrom odrl:~ :@id
            ConflictTerm odrl:~ | conflict odrl:~ :@vocab | perm odrl:~ | prohibit odrl:~ | invalid odrl:~
            Agreement odrl:~ | Assertion odrl:~ | Offer odrl:~ | Privacy odrl:~ | Request odrl:~ | Set odrl:~
            Ticket odrl:~ | Asset odrl:~ | AssetCollection odrl:~ | relation odrl:~ :@id | hasPolicy odrl:~ :@id
            target odrl:~ :@id | output odrl:~ :@id | partOf odrl:~ :@id | source odrl:~ :@id | Party odrl:~
            PartyCollection odrl:~ | function odrl:~ :@vocab | PartyScope odrl:~ | assignee odrl:~ :@id
            assigner odrl:~ :@id | assigneeOf odrl:~ :@id | assignerOf odrl:~ :@id | attributedParty odrl:~ :@id
            attributingParty odrl:~ :@id | compensatedParty odrl:~ :@id | compensatingParty odrl:~ :@id
            consentingParty odrl:~ :@id | consentedParty odrl:~ :@id | informedParty odrl:~ :@id
            informingParty odrl:~ :@id | trackingParty odrl:~ :@id | trackedParty odrl:~ :@id
            contractingParty odrl:~ :@id | contractedParty odrl:~ :@id | Action odrl:~ | action odrl:~ :@vocab
            includedIn odrl:~ :@id | implies odrl:~ :@id | Permission odrl:~ | permission odrl:~ :@id
            Prohibition odrl:~ | prohibition odrl:~ :@id | obligation odrl:~ :@id | use odrl:~ | grantUse odrl:~
            aggregate odrl:~ | annotate odrl:~ | anonymize odrl:~ | archive odrl:~ | concurrentUse odrl:~
            derive odrl:~ | digitize odrl:~ | display odrl:~ | distribute odrl:~ | execute odrl:~ | extract odrl:~
            give odrl:~ | index odrl:~ | install odrl:~ | modify odrl:~ | move odrl:~ | play odrl:~ | present odrl:~
            print odrl:~ | read odrl:~ | reproduce odrl:~ | sell odrl:~ | stream odrl:~ | textToSpeech odrl:~
            transfer odrl:~ | transform odrl:~ | translate odrl:~ | Duty odrl:~ | duty odrl:~ :@id
            consequence odrl:~ :@id | remedy odrl:~ :@id | acceptTracking odrl:~ | attribute odrl:~
            compensate odrl:~ | delete odrl:~ | ensureExclusivity odrl:~ | include odrl:~ | inform odrl:~
            nextPolicy odrl:~ | obtainConsent odrl:~ | reviewPolicy odrl:~ | uninstall odrl:~ | watermark odrl:~
            Constraint odrl:~ | LogicalConstraint odrl:~ | constraint odrl:~ :@id | refinement odrl:~ :@id
            Operator odrl:~ | operator odrl:~ :@vocab | RightOperand odrl:~ | rightOperand odrl:~
            rightOperandReference odrl:~ :xsd:anyURI | LeftOperand odrl:~ | leftOperand odrl:~ :@vocab | unit odrl:~
            dataType odrl:datatype :xsd:anyType | status odrl:~ | absolutePosition odrl:~
            absoluteSpatialPosition odrl:~ | absoluteTemporalPosition odrl:~ | absoluteSize odrl:~ | count odrl:~
            dateTime odrl:~ | delayPeriod odrl:~ | deliveryChannel odrl:~ | elapsedTime odrl:~ | event odrl:~
            fileFormat odrl:~ | industry odrl:industry: | language odrl:~ | media odrl:~ | meteredTime odrl:~
            payAmount odrl:~ | percentage odrl:~ | product odrl:~ | purpose odrl:~ | recipient odrl:~
            relativePosition odrl:~ | relativeSpatialPosition odrl:~ | relativeTemporalPosition odrl:~
            relativeSize odrl:~ | resolution odrl:~ | spatial odrl:~ | spatialCoordinates odrl:~ | systemDevice odrl:~
            timeInterval odrl:~ | unitOfCount odrl:~ | version odrl:~ | virtualLocation odrl:~ | eq odrl:~ | gt odrl:~
            gteq odrl:~ | lt odrl:~ | lteq odrl:~ | neq odrl:~ | isA odrl:~ | hasPart odrl:~ | isPartOf odrl:~
            isAllOf odrl:~ | isAnyOf odrl:~ | isNoneOf odrl:~ | or odrl:~ | xone odrl:~ | and odrl:~
            andSequence odrl:~ | policyUsage odrl:~
            """
        ),
    ]
}
